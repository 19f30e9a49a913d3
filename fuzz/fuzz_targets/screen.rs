//! Fuzzes the explorer with hostile names, any keys and any size: it must not panic, and no cell may control
//! the terminal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::screen::{Case, run};

fuzz_target!(init: proftui_fuzz::one_thread(), |case: Case| run(&case));
