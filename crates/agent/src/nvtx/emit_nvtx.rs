//! Recognises the ranges of PyTorch's `emit_nvtx`: operators, with the number of the call and other details
//! after the name (`aten::add, seq = 3`). Without the details, all calls of an operator have one name.

/// The texts that begin the details that `emit_nvtx` adds to a name; a number follows.
const TAILS: [&[u8]; 2] = [b", seq = ", b", op_id = "];
/// The text by which operators' names (`aten::add`) are recognised.
const SCOPE: &[u8] = b"::";

/// Returns the name without the details that PyTorch's `emit_nvtx` adds (`aten::add, seq = 3`), and whether
/// it looks like an operator's. `None` if there are no details.
#[inline]
pub(super) fn operator(text: &[u8]) -> Option<(&[u8], bool)> {
    let mut commas = text.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| at);
    let end = commas.find(|&at| is_tail(&text[at..]))?;
    let name = &text[..end];
    Some((name, name.windows(SCOPE.len()).any(|bytes| bytes == SCOPE)))
}

/// True if `text` begins with details that `emit_nvtx` adds to a name, such as `, seq = 3`.
fn is_tail(text: &[u8]) -> bool {
    let number = TAILS.iter().find_map(|tail| text.strip_prefix(*tail));
    number.and_then(|number| number.first()).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::operator;

    #[test]
    fn details_are_no_part_of_names() {
        let cut = |text: &'static str| {
            operator(text.as_bytes())
                .map(|(name, is_operator)| (str::from_utf8(name).expect("UTF-8"), is_operator))
        };
        assert_eq!(cut("aten::add, seq = 3, op_id = 12, sizes = [[2, 3], []]"), Some(("aten::add", true)));
        assert_eq!(cut("aten::empty, op_id = 4"), Some(("aten::empty", true)));
        assert_eq!(cut("load, decode, op_id = 4"), Some(("load, decode", false)));
        for own in ["", "aten::add", "a, b", "a, op_id = ", "a, seq = x", ", op_id", "std::sort"] {
            assert_eq!(cut(own), None, "{own}");
        }
    }
}
