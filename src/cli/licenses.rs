//! `proftui licenses`: prints the licences of the works of others that the program and the recorder's library
//! contain.
//!
//! `.ci/licenses` writes the text; `.ci/run` fails if it is out of date.

use crate::cli::output::streams::{Failure, print};

const LICENSES: &str = include_str!("../../assets/licenses.txt");

pub(super) fn run() -> Result<(), Failure> {
    print(LICENSES)
}
