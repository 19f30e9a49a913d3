//! The addresses of objects in the names of Python functions: they differ in each process, so names are
//! compared without them.
//!
//! Must not know where names come from.

use memchr::memmem::find;

/// The text before the digits of an address in a name.
const MARK: &[u8] = b" at 0x";

/// The parts of a name before and behind the first ` at 0x…` in it; the whole name and an empty text if there
/// is none.
pub(crate) fn around(name: &[u8]) -> [&[u8]; 2] {
    let Some(at) = find(name, MARK) else { return [name, b""] };
    let rest = &name[at + MARK.len()..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    [&name[..at], &rest[digits..]]
}

/// True if the name contains an address.
pub(crate) fn is_in(name: &[u8]) -> bool {
    find(name, MARK).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_without_its_address() {
        let name = b"<built-in method run of Engine object at 0x7f00beef>";
        assert_eq!(around(name).concat(), b"<built-in method run of Engine object>");
        assert_eq!(around(b"train.py(3): step"), [b"train.py(3): step".as_slice(), b""]);
        assert!(is_in(name) && !is_in(b"at 0x7"));
    }
}
