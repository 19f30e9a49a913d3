//! Sets the allocator and calls `cli::run`.

use std::process::ExitCode;

use proftui_base::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    proftui::cli::run()
}
