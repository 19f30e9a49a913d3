//! The list of names: texts one after the other, each with its length (u32) before it; the first is number 1.

use crate::chunk::u32_at;

/// Longest name that is kept, bytes.
pub const LONGEST: usize = 4096;

/// A name as it is written; its end is cut off where it is too long.
pub fn bytes(name: &[u8]) -> Vec<u8> {
    let name = &name[..name.len().min(LONGEST)];
    [&(name.len() as u32).to_le_bytes(), name].concat()
}

/// The whole names at the beginning of `bytes`, and how many bytes they take. One that is torn, or longer than any is written,
/// ends the list.
pub fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let (mut names, mut at) = (Vec::new(), 0);
    while bytes.len() >= at + 4 {
        let len = u32_at(bytes, at) as usize;
        let Some(name) = bytes.get(at + 4..at + 4 + len).filter(|_| len <= LONGEST) else { break };
        names.push(name.to_vec());
        at += 4 + len;
    }
    (names, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_read_back() {
        let mut list = [bytes(b"one"), bytes(b""), bytes(&[b'x'; LONGEST + 9])].concat();
        let end = list.len();
        list.extend([9, 0, 0, 0, b't']);
        let (names, used) = read(&list);
        assert_eq!(names, [b"one".to_vec(), Vec::new(), vec![b'x'; LONGEST]]);
        assert_eq!(used, end, "a torn one waits");
        assert_eq!(read(&u32::MAX.to_le_bytes()), (Vec::new(), 0));
    }
}
