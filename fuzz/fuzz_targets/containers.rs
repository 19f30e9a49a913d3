//! Fuzzes compressed bytes: bytes that inflate completely must load like their text, all others must give an
//! error or a warning.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::containers;

fuzz_target!(init: proftui_fuzz::one_thread(), |bytes: &[u8]| containers::check(bytes));
