//! Tests of building with inputs of no real format.
