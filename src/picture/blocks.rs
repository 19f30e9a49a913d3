//! Characters that pictures draw as shapes, since fonts leave gaps between them: blocks, and lines of boxes.

use proftui_base::saturate::saturate;

/// A rectangle within a cell, in eighths of the cell's width and height; `cover` is its opacity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) x: u8,
    pub(super) y: u8,
    pub(super) width: u8,
    pub(super) height: u8,
    pub(super) cover: f32,
}

/// The rectangle that a block character (U+2580 to U+2593) fills; `None` for any other text.
pub(super) fn block(symbol: &str) -> Option<Block> {
    let whole = Block { x: 0, y: 0, width: 8, height: 8, cover: 1.0 };
    let number = symbol.chars().next().filter(|c| c.len_utf8() == symbol.len())? as u32;
    Some(match number {
        // Upper half; then one to eight eighths from below.
        0x2580 => Block { height: 4, ..whole },
        0x2581..=0x2588 => {
            let height = saturate::<u8>(number - 0x2580);
            Block { y: 8 - height, height, ..whole }
        }
        // Seven eighths to one from the left; then the right half.
        0x2589..=0x258f => Block { width: saturate::<u8>(0x2590 - number), ..whole },
        0x2590 => Block { x: 4, width: 4, ..whole },
        0x2591..=0x2593 => Block { cover: (number - 0x2590) as f32 / 4.0, ..whole },
        _ => return None,
    })
}

/// Whether a box character has lines from the cell's middle to the left, right, top and bottom, and true if
/// they are thick. `None` if the character is not known.
pub(super) fn strokes(symbol: &str) -> Option<([bool; 4], bool)> {
    const LEFT: u8 = 1;
    const RIGHT: u8 = 2;
    const UP: u8 = 4;
    const DOWN: u8 = 8;
    let (bits, is_thick) = match symbol {
        "─" => (LEFT | RIGHT, false),
        "━" => (LEFT | RIGHT, true),
        "│" => (UP | DOWN, false),
        "┃" => (UP | DOWN, true),
        "┌" | "╭" => (RIGHT | DOWN, false),
        "┐" | "╮" => (LEFT | DOWN, false),
        "└" | "╰" => (RIGHT | UP, false),
        "┘" | "╯" => (LEFT | UP, false),
        "├" => (UP | DOWN | RIGHT, false),
        "┤" => (UP | DOWN | LEFT, false),
        "┬" => (LEFT | RIGHT | DOWN, false),
        "┴" => (LEFT | RIGHT | UP, false),
        "┼" => (LEFT | RIGHT | UP | DOWN, false),
        _ => return None,
    };
    Some(([LEFT, RIGHT, UP, DOWN].map(|side| bits & side != 0), is_thick))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_what_their_names_say() {
        let of = |symbol| block(symbol).map(|it| (it.x, it.y, it.width, it.height));
        assert_eq!(of("█"), Some((0, 0, 8, 8)));
        assert_eq!(of("▂"), Some((0, 6, 8, 2)));
        assert_eq!(of("▌"), Some((0, 0, 4, 8)));
        assert_eq!(of("▏"), Some((0, 0, 1, 8)));
        assert_eq!(of("▐"), Some((4, 0, 4, 8)));
        assert_eq!(block("░").map(|it| it.cover), Some(0.25));
        assert_eq!(of("a"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn boxes_have_sides() {
        assert_eq!(strokes("─"), Some(([true, true, false, false], false)));
        assert_eq!(strokes("└"), Some(([false, true, true, false], false)));
        assert_eq!(strokes("x"), None);
    }
}
