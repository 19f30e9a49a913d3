//! Fuzzes events: the model must have each of them, in order, and the index must answer like brute force.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proftui_fuzz::case::Case;

fuzz_target!(init: proftui_fuzz::one_thread(), |case: Case| proftui_fuzz::model::check(&case));
