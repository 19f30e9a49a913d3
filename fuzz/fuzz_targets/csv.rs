//! Fuzzes comma-separated values of every table: each line has a field per column, and one for the row's
//! depth.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use proftui_fuzz::mutate;
use proftui_fuzz::output::{Output, check};

fuzz_target!(init: proftui_fuzz::one_thread(), |bytes: &[u8]| check(Output::Csv, bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let plain = |data: &mut [u8], size, max_size| libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    mutate::with_options(data, size, max_size, seed, plain)
});
