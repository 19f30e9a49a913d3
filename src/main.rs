//! Calls `cli::run`.

use std::process::ExitCode;

fn main() -> ExitCode {
    proftui::cli::run()
}
