//! Where the terminal's cursor is, and the shortest way elsewhere. Must not know what is written.

use super::decimal::decimal;

/// The cursor's column and line, from 0; `None` while they are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor(Option<(u16, u16)>);

impl Cursor {
    /// The cursor's column, from 0; `None` while its position is unknown.
    pub(super) fn x(&self) -> Option<u16> {
        self.0.map(|(x, _)| x)
    }

    /// True if the cursor is known to be in line `y`.
    pub(super) fn is_in(&self, y: u16) -> bool {
        self.0.is_some_and(|(_, line)| line == y)
    }

    /// Notes that the cursor is now in column `x` of line `y`.
    pub(super) fn stay_at(&mut self, x: u16, y: u16) {
        self.0 = Some((x, y));
    }

    /// Notes that the cell in column `x` of line `y` was written. The cursor is then in the next column if
    /// `is_sure`, else its position is unknown.
    pub(super) fn wrote(&mut self, x: u16, y: u16, is_sure: bool) {
        self.0 = is_sure.then_some((x + 1, y));
    }

    /// Appends the sequence that moves the cursor to column `x` of line `y`, and notes that it is there;
    /// appends nothing if it is there already.
    pub(super) fn go(&mut self, x: u16, y: u16, out: &mut Vec<u8>) {
        let (by, letter) = match self.0.replace((x, y)) {
            Some(from) if from == (x, y) => return,
            Some((_, line)) if line == y && x == 0 => (1, b'G'),
            Some((column, line)) if line == y && x > column => (x - column, b'C'),
            Some((column, line)) if line == y => (column - x, b'D'),
            Some((column, line)) if column == x && y > line => (y - line, b'B'),
            Some((column, line)) if column == x => (line - y, b'A'),
            _ => {
                out.extend_from_slice(b"\x1b[");
                if (x, y) != (0, 0) {
                    decimal(y + 1, out);
                }
                if x > 0 {
                    out.push(b';');
                    decimal(x + 1, out);
                }
                out.push(b'H');
                return;
            }
        };
        out.extend_from_slice(b"\x1b[");
        if by > 1 {
            decimal(by, out);
        }
        out.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_is_taken() {
        let mut cursor = Cursor::default();
        for ((x, y), way) in [
            ((4, 2), "\x1b[3;5H"),
            ((4, 2), ""),
            ((5, 2), "\x1b[C"),
            ((25, 2), "\x1b[20C"),
            ((24, 2), "\x1b[D"),
            ((0, 2), "\x1b[G"),
            ((0, 3), "\x1b[B"),
            ((0, 1), "\x1b[2A"),
            ((0, 0), "\x1b[A"),
            ((7, 9), "\x1b[10;8H"),
            ((0, 4), "\x1b[5H"),
        ] {
            let mut out = Vec::new();
            cursor.go(x, y, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), way);
        }
        cursor.wrote(9, 4, false);
        let mut out = Vec::new();
        cursor.go(10, 4, &mut out);
        assert_eq!(out, b"\x1b[5;11H");
    }
}
