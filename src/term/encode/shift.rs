//! Has the terminal move what it shows already: parts of lines sideways (ICH, DCH), lines up or down (IL, DL). Finds by
//! how much from the cells alone. Must not know what is drawn.
//!
//! A shift is used where it leaves fewer cells to write, each counted with the bytes that it may need.

use std::hash::{Hash, Hasher};
use std::io::Write;

use ratatui::buffer::{Buffer, Cell};
use rustc_hash::FxHasher;

use super::cursor::Cursor;
use super::pen::Pen;

/// The fewest cells that a shift must save, for the sequences that it needs.
const COST: usize = 8;
/// How many lines are looked at to find by how many columns lines have moved.
const LOOKED_AT: usize = 8;
/// The fewest lines that must have moved alike before they are moved.
const LINES: usize = 3;

/// Scrolls the lines that stand at another height on the next screen.
pub(super) fn lines(
    shown: &mut Buffer,
    next: &Buffer,
    pen: &mut Pen,
    cursor: &mut Cursor,
    out: &mut Vec<u8>,
) {
    let (width, height) = (usize::from(next.area.width), usize::from(next.area.height));
    let (before, after) = (hashes(shown, width), hashes(next, width));
    let changed: Vec<usize> = (0..height).filter(|&y| before[y] != after[y]).collect();
    if changed.len() < LINES {
        return;
    }
    let most = height as isize / 2;
    // Lines that are nearly all alike, such as blank ones, are at home everywhere; they say nothing.
    let is_unique = |y: usize| after.iter().filter(|hash| **hash == after[y]).count() == 1;
    let unique: Vec<usize> = changed.into_iter().filter(|&y| is_unique(y)).collect();
    let moved = |y: usize, by: isize| {
        let from = y.checked_add_signed(by).filter(|&from| from < height);
        from.is_some_and(|from| before[from] == after[y])
    };
    let lines_by = |by: isize| unique.iter().filter(move |&&y| moved(y, by));
    let shifts = (-most..=most).filter(|by| *by != 0);
    let Some(by) = shifts.max_by_key(|&by| lines_by(by).count()) else { return };
    let at: Vec<usize> = lines_by(by).copied().collect();
    let (Some(&first), Some(&last)) = (at.first(), at.last()) else { return };
    // Lines that stay as they are must not be moved away.
    let lost = (first..=last).filter(|&y| before[y] == after[y]).count();
    if at.len() < LINES.max(lost + 1) {
        return;
    }
    let (top, bottom) =
        if by > 0 { (first, last + by.unsigned_abs()) } else { (first - by.unsigned_abs(), last) };
    let count = by.unsigned_abs();
    pen.set(&Cell::EMPTY, out);
    // Without a scroll region, which would outlive a frame that is cut off: what is inserted holds the lines below where they are.
    let gap = bottom + 1 - count;
    let steps = if by > 0 { [(top, 'M'), (gap, 'L')] } else { [(gap, 'M'), (top, 'L')] };
    for (y, letter) in steps {
        cursor.go(0, y as u16, out);
        // Writing to a vector does not fail.
        let _ = write!(out, "\x1b[{count}{letter}");
    }
    let cells = &mut shown.content[top * width..(bottom + 1) * width];
    move_cells(cells, count * width, by > 0);
}

/// Moves cells by `count`, to the front or to the back; blanks follow.
fn move_cells(cells: &mut [Cell], count: usize, to_front: bool) {
    if to_front {
        cells.rotate_left(count);
        let kept = cells.len() - count;
        cells[kept..].fill(Cell::EMPTY);
    } else {
        cells.rotate_right(count);
        cells[..count].fill(Cell::EMPTY);
    }
}

/// Shifts the rest of each line sideways where that leaves fewer cells to write.
pub(super) fn columns(
    shown: &mut Buffer,
    next: &Buffer,
    pen: &mut Pen,
    cursor: &mut Cursor,
    out: &mut Vec<u8>,
) {
    let width = usize::from(next.area.width);
    if width < 2 * COST {
        return;
    }
    let lines: Vec<Line> = (shown.content.chunks(width).zip(next.content.chunks(width)))
        .enumerate()
        .filter_map(|(y, (before, after))| Line::new(y, before, after))
        .collect();
    let Some(by) = columns_moved(&lines, width) else { return };
    for line in lines {
        let (stays, moves) = (line.cost(0), line.cost(by));
        // Where more than half of the rest is inserted, tmux leaves some of the old characters.
        if moves + COST > stays || line.after.len() < 2 * by.unsigned_abs() {
            continue;
        }
        let (y, x, count) = (line.y, line.first, by.unsigned_abs());
        cursor.go(x as u16, y as u16, out);
        pen.set(&Cell::EMPTY, out);
        // Writing to a vector does not fail.
        let _ = write!(out, "\x1b[{count}{}", if by > 0 { 'P' } else { '@' });
        let rest = &mut shown.content[y * width + x..(y + 1) * width];
        move_cells(rest, count, by > 0);
    }
}

/// A line of which at least [`COST`] cells change: its cells before and after, as numbers, from the first that changes on.
struct Line {
    y: usize,
    /// The first column that changes.
    first: usize,
    before: Vec<Mark>,
    after: Vec<Mark>,
}

/// A cell as a number that is equal for equal cells only, but for chance, and the number of bytes that writing it may need.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    hash: u32,
    bytes: u8,
}

impl Line {
    /// None if few cells change, or there are wide characters before, which a shift could cut.
    fn new(y: usize, before: &[Cell], after: &[Cell]) -> Option<Self> {
        let first = before.iter().zip(after).position(|(before, after)| before != after)?;
        let (before, after) = (&before[first..], &after[first..]);
        let changed = before.iter().zip(after).filter(|(before, after)| before != after).count();
        if changed <= COST || before.iter().any(|cell| cell.symbol().is_empty()) {
            return None;
        }
        Some(Self { y, first, before: marks(before), after: marks(after) })
    }

    /// The bytes that the line may need after a shift by so many columns (positive: to the left).
    fn cost(&self, by: isize) -> usize {
        let (before, after) = (&self.before[..], &self.after[..]);
        let count = by.unsigned_abs().min(after.len());
        let (kept, blanks) =
            if by < 0 { (&after[count..], &after[..count]) } else { after.split_at(after.len() - count) };
        let moved = if by < 0 { before } else { &before[count..] };
        let bytes = |mark: &Mark, before: u32| if mark.hash == before { 0 } else { u32::from(mark.bytes) };
        let blank = mark(&Cell::EMPTY, None).hash;
        let of_kept: u32 = kept.iter().zip(moved).map(|(mark, before)| bytes(mark, before.hash)).sum();
        let of_blanks: u32 = blanks.iter().map(|mark| bytes(mark, blank)).sum();
        (of_kept + of_blanks) as usize
    }
}

/// By how many columns most cells of the lines with the most changes have moved (positive: to the left); none if they have not.
fn columns_moved(lines: &[Line], width: usize) -> Option<isize> {
    let mut most: Vec<&Line> = lines.iter().collect();
    most.sort_unstable_by_key(|line| std::cmp::Reverse(line.cost(0)));
    most.truncate(LOOKED_AT);
    let stays: Vec<usize> = most.iter().map(|line| line.cost(0)).collect();
    let farthest = width as isize * 2 / 3;
    let cost =
        |by: isize| most.iter().zip(&stays).map(|(line, &stays)| line.cost(by).min(stays)).sum::<usize>();
    let best = (-farthest..=farthest).min_by_key(|&by| cost(by))?;
    (best != 0).then_some(best)
}

fn marks(cells: &[Cell]) -> Vec<Mark> {
    let mut last = None;
    cells.iter().map(|cell| mark(cell, last.replace(cell))).collect()
}

/// The mark of a cell behind `last`, from which its attributes may differ. Of blanks in a row only the first counts: they are erased.
fn mark(cell: &Cell, last: Option<&Cell>) -> Mark {
    let bytes = match last {
        Some(last) if *cell == Cell::EMPTY && *last == Cell::EMPTY => 0,
        Some(last) if (last.fg, last.bg) != (cell.fg, cell.bg) => cell.symbol().len() + 9,
        _ => cell.symbol().len(),
    };
    Mark { hash: hash(std::slice::from_ref(cell)) as u32, bytes: bytes as u8 }
}

fn hashes(buffer: &Buffer, width: usize) -> Vec<u64> {
    buffer.content.chunks(width.max(1)).map(hash).collect()
}

fn hash(cells: &[Cell]) -> u64 {
    let mut hasher = FxHasher::default();
    for cell in cells {
        cell.symbol().hash(&mut hasher);
        (cell.fg, cell.bg, cell.modifier).hash(&mut hasher);
    }
    hasher.finish()
}
