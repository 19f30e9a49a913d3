//! The messages of `proto/nodetree.proto`, as the build script compiles them.

#![allow(missing_docs, clippy::pedantic, reason = "generated from the schema, which says what each field is")]

include!(concat!(env!("OUT_DIR"), "/paddle.platform.rs"));
