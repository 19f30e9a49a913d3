//! Fuzzes any bytes as text: four ways of loading must give the same model or error, and the same events when
//! read again.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use proftui_fuzz::{disagree, mutate};

fuzz_target!(init: proftui_fuzz::one_thread(), |text: &[u8]| disagree::check(text));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let plain = |data: &mut [u8], size| libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    mutate::mutate(data, size, max_size, seed, plain)
});
