//! Fuzzes Paddle's protobuf: every event must be loaded or counted as dropped, and conversion to JSON and
//! back must lose nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::protobuf;

fuzz_target!(init: proftui_fuzz::one_thread(), |bytes: &[u8]| protobuf::check(bytes));
