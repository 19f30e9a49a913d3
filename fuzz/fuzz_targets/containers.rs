//! Any compressed bytes: what inflates as a whole loads as its text does, and what does not says so.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::containers;

fuzz_target!(init: proftui_fuzz::one_thread(), |bytes: &[u8]| containers::check(bytes));
