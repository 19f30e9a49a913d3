//! What device work and captured launches are called, so that both can be compared: the name of a kernel, a
//! copy, a memset.
//!
//! A copy of a graph may run as a copy or as a kernel that copies, with names that the capture does not have.
//! Must not know sequences.

use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_trace::model::Category;

/// A number by which the names of device work and of captured nodes are compared.
pub(super) type Key = u32;

/// The key of a captured launch whose kernel is not known: the number of the empty text.
pub(super) const UNKNOWN: Key = 0;

/// The text that all copies are compared by; no kernel has this name.
const COPY: &[u8] = b"\0memcpy";
const SET: &[u8] = b"\0memset";

/// The text by which work of this name is compared: one for known names of copies, one for those of memsets,
/// else the name.
fn text(name: &[u8]) -> &[u8] {
    let has = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
    match () {
        () if name.starts_with(b"Memcpy") || has("copyBuffer") => COPY,
        () if name.starts_with(b"Memset") || has("fillBuffer") => SET,
        () => name,
    }
}

/// The key of a captured launch whose kernel has this name; the key's text is added to `strings`.
pub(super) fn of_name(name: &[u8], strings: &mut Interner) -> Key {
    strings.intern(text(name)).get()
}

/// The key of a captured call that states no kernel: that of copies, that of memsets, or [`UNKNOWN`], by the
/// call's name.
pub(super) fn of_call(call: &[u8], strings: &mut Interner) -> Key {
    let has = |part: &str| memchr::memmem::find(call, part.as_bytes()).is_some();
    match () {
        () if has("Memcpy") => strings.intern(COPY).get(),
        () if has("Memset") => strings.intern(SET).get(),
        () => UNKNOWN,
    }
}

/// The key of a piece of device work; `id` is the number of its name in its own trace, `strings` are those of
/// the captures.
pub(super) fn of_work(category: Category, name: &[u8], id: StrId, strings: &Interner) -> Key {
    let text = match category {
        Category::Memcpy => COPY,
        Category::Memset => SET,
        _ => text(name),
    };
    let known = strings.find(text).map(StrId::get).filter(|&key| key != UNKNOWN);
    known.unwrap_or_else(|| saturate::<u32>(strings.len()) + id.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_one_key_however_they_run() {
        let mut strings = Interner::default();
        let copy = of_call(b"hipMemcpyAsync", &mut strings);
        let gemm = of_name(b"gemm", &mut strings);
        let of = |category, name: &[u8]| of_work(category, name, StrId::new(5), &strings);
        assert_eq!(of(Category::Kernel, b"__amd_rocclr_copyBuffer"), copy);
        assert_eq!(of(Category::Memcpy, b"Memcpy DtoD (Device -> Device)"), copy);
        assert_eq!(of(Category::Kernel, b"gemm"), gemm);
        assert_eq!(of(Category::Kernel, b"other"), strings.len() as u32 + 5);
        assert_eq!(of(Category::Kernel, b"_combined_routing_memset"), strings.len() as u32 + 5, "a kernel");
        assert_eq!(of_call(b"cudaLaunchKernel", &mut strings), UNKNOWN);
    }
}
