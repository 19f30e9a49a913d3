//! Any protobuf: it loads or is refused, every event is accounted for, and as JSON and back it is what it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::protobuf;

fuzz_target!(init: proftui_fuzz::one_thread(), |bytes: &[u8]| protobuf::check(bytes));
