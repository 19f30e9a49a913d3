//! A disk that fails halfway: a library that is loaded before all others lets `read` fail from some byte on.
//! Needs a C compiler.

use super::{command, loaded, refused, unpacked};
use crate::scratch::Scratch;
use crate::tools::compile;

/// Fails with EIO once `EIO_AFTER` bytes have come from the file whose name ends in `failing.json`.
const LIBRARY: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long taken;
ssize_t read(int fd, void *into, size_t size) {
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path - 1);
    const char *name = "failing.json";
    if (len < (ssize_t)strlen(name) || memcmp(path + len - strlen(name), name, strlen(name)))
        return real(fd, into, size);
    long left = atol(getenv("EIO_AFTER")) - taken;
    if (left <= 0) {
        errno = EIO;
        return -1;
    }
    ssize_t got = real(fd, into, size < (size_t)left ? size : (size_t)left);
    taken += got;
    return got;
}
"#;

#[test]
fn what_came_before_a_read_error_is_good() {
    let scratch = Scratch::new("broken");
    let (source, library) = (scratch.file("failing.c", LIBRARY.as_bytes()), scratch.path("failing.so"));
    let options = ["-shared", "-fPIC", "-o", &library, &source, "-ldl"];
    let Some(()) = compile("read errors", options) else { return };
    let text = unpacked();
    let path = scratch.file("failing.json", &text);
    let after = |bytes: usize| {
        let mut command = command(&path);
        command.env("LD_PRELOAD", &library).env("EIO_AFTER", bytes.to_string());
        command.output().expect("a shell runs")
    };
    let half = loaded(&after(text.len() / 2));
    let slices = half["slices"].as_u64().expect("a number");
    assert!((2_000..super::SLICES).contains(&slices), "{slices} slices of half a file");
    let said = half["quality"]["W_TRUNCATED"]["first"].as_str().expect("a warning");
    assert!(half["dropped"] == 1 && half["warn"] == serde_json::json!(["W_TRUNCATED"]), "{half}");
    assert!(said.starts_with("read error: Input/output error"), "{half}");
    assert_eq!(half["quality"]["W_TRUNCATED"]["offset"], text.len() / 2);
    assert!(refused(&after(0)).contains("failing.json"));
}
