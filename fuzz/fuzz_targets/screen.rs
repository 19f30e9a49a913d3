//! Hostile names, any keys, any size: nothing panics, and no cell holds what a terminal would obey.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::screen::{Case, run};

fuzz_target!(init: proftui_fuzz::one_thread(), |case: Case| run(&case));
