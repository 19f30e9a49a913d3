//! Has the terminal move what it shows already: parts of lines sideways (ICH, DCH), lines up or down (IL,
//! DL). Finds by how much from the cells alone. Must not know what is drawn.
//!
//! A shift is used where it leaves fewer cells to write, each counted with the bytes that it may need.

use std::cell::OnceCell;

use super::code::{Code, Screen};
use super::cursor::Cursor;
use super::decimal::decimal;
use super::pen::Pen;
use proftui_base::saturate::saturate;

/// The fewest bytes that a sideways shift of a line must save to be made.
const COST: u32 = 8;
/// The most lines that are compared to find by how many columns the lines of the screen have moved.
const LOOKED_AT: usize = 8;
/// The most distances, in columns, that are tried as a sideways shift.
const TRIED: usize = 6;
/// The fewest changed lines that must have moved up or down by the same distance before the terminal scrolls
/// lines.
const LINES: usize = 3;

/// If enough changed lines have moved up or down by one distance, appends to `out` the sequences that move
/// them on the terminal, and moves the cells in `shown`, too.
pub(super) fn lines(
    shown: &mut Screen,
    next: &Screen,
    pen: &mut Pen,
    cursor: &mut Cursor,
    out: &mut Vec<u8>,
) {
    let (width, height) = (next.width, next.height());
    let changed: Vec<usize> = (0..height).filter(|&y| shown.line(y) != next.line(y)).collect();
    if changed.len() < LINES {
        return;
    }
    let (before, after) = (&shown.hashes, &next.hashes);
    let most = saturate::<isize>(height) / 2;
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
    pen.set(Code::BLANK, out);
    // Without a scroll region, which would outlive a frame that is cut off: what is inserted holds the lines
    // below where they are.
    let gap = bottom + 1 - count;
    let steps = if by > 0 { [(top, b'M'), (gap, b'L')] } else { [(gap, b'M'), (top, b'L')] };
    for (y, letter) in steps {
        cursor.go(0, saturate::<u16>(y), out);
        edit(count, letter, out);
    }
    let cells = &mut shown.cells[top * width..(bottom + 1) * width];
    move_cells(cells, count * width, by > 0);
}

/// Appends to `out` the sequence that inserts (`letter` is `L`) or deletes (`M`) `count` lines, or inserts
/// (`@`) or deletes (`P`) `count` characters.
fn edit(count: usize, letter: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[");
    // A screen has at most 2^16 columns and lines.
    decimal(saturate::<u16>(count), out);
    out.push(letter);
}

/// Moves all cells by `count` towards the front or the back; blanks take the cells that become free.
fn move_cells(cells: &mut [Code], count: usize, to_front: bool) {
    if to_front {
        cells.rotate_left(count);
        let kept = cells.len() - count;
        cells[kept..].fill(Code::BLANK);
    } else {
        cells.rotate_right(count);
        cells[..count].fill(Code::BLANK);
    }
}

/// Finds a distance, if any, by which lines have moved sideways, appends to `out` the sequences that shift
/// lines that gain by it, and moves their cells in `shown`, too.
pub(super) fn columns(
    shown: &mut Screen,
    next: &Screen,
    pen: &mut Pen,
    cursor: &mut Cursor,
    out: &mut Vec<u8>,
) {
    let width = next.width;
    if width < 2 * COST as usize {
        return;
    }
    let lines: Vec<Line<'_>> =
        (0..next.height()).filter_map(|y| Line::new(y, shown.line(y), next.line(y))).collect();
    let Some(by) = columns_moved(&lines, width) else { return };
    let is_better = |line: &&Line<'_>| {
        // Where more than half of the rest is inserted, tmux leaves some of the old characters.
        line.after.len() >= 2 * by.unsigned_abs() && line.cost(by) + COST <= line.cost_unmoved()
    };
    let moved: Vec<(usize, usize)> =
        lines.iter().filter(is_better).map(|line| (line.y, line.first)).collect();
    let count = by.unsigned_abs();
    for (y, x) in moved {
        cursor.go(saturate::<u16>(x), saturate::<u16>(y), out);
        pen.set(Code::BLANK, out);
        edit(count, if by > 0 { b'P' } else { b'@' }, out);
        let rest = &mut shown.cells[y * width + x..(y + 1) * width];
        move_cells(rest, count, by > 0);
    }
}

/// A line of the screen in which many cells change with the next frame, from its first changed cell on.
struct Line<'a> {
    y: usize,
    /// The column, from 0, of the first cell that changes.
    first: usize,
    before: &'a [Code],
    after: &'a [Code],
    /// How many cells of the line change.
    changed: usize,
    /// How many bytes writing each cell of `after` may need; empty until it is first asked for.
    bytes: OnceCell<Vec<u32>>,
    /// How many bytes writing the changed cells may need if the line is not shifted; empty until it is first
    /// asked for.
    unmoved: OnceCell<u32>,
}

impl<'a> Line<'a> {
    /// The line `y` with its cells before and after. `None` if too few cells change for a shift, or a shift
    /// could cut a wide character.
    fn new(y: usize, before: &'a [Code], after: &'a [Code]) -> Option<Self> {
        let first = before.iter().zip(after).position(|(before, after)| before != after)?;
        let (before, after) = (&before[first..], &after[first..]);
        let changed = before.iter().zip(after).filter(|(before, after)| before != after).count();
        if changed <= COST as usize || before.iter().any(|cell| cell.is_covered()) {
            return None;
        }
        Some(Self { y, first, before, after, changed, bytes: OnceCell::new(), unmoved: OnceCell::new() })
    }

    /// Estimates the bytes for writing what still differs after a shift by `by` columns (positive: to the
    /// left), without the bytes of the shift.
    fn cost(&self, by: isize) -> u32 {
        let (cells, bytes) = (self.after, self.bytes.get_or_init(|| bytes(self.after)));
        let count = by.unsigned_abs().min(cells.len());
        let kept = if by < 0 { count..cells.len() } else { 0..cells.len() - count };
        let blanks = if by < 0 { 0..count } else { cells.len() - count..cells.len() };
        let moved = if by < 0 { self.before } else { &self.before[count..] };
        let of_kept: u32 = (cells[kept.clone()].iter().zip(moved).zip(&bytes[kept]))
            // Without a branch, which would often be mispredicted.
            .map(|((cell, before), bytes)| u32::from(cell != before) * bytes)
            .sum();
        let of_blanks: u32 = (cells[blanks.clone()].iter().zip(&bytes[blanks]))
            .map(|(cell, bytes)| u32::from(*cell != Code::BLANK) * bytes)
            .sum();
        of_kept + of_blanks
    }

    /// How many bytes writing the changed cells may need without a shift; computed once.
    fn cost_unmoved(&self) -> u32 {
        *self.unmoved.get_or_init(|| self.cost(0))
    }

    /// Adds votes for the distances by which parts of the line may have moved sideways. The middle of `votes`
    /// stands for 0 columns, what follows for moves to the left.
    fn vote(&self, votes: &mut [u32]) {
        let triples = |cells: &[Code]| -> Vec<u32> {
            let numbers: Vec<u64> = cells.iter().map(|cell| cell.number()).collect();
            let hash = |three: &[u64]| match *three {
                [a, b, c] if a != b || b != c => Code::hash_of_three([a, b, c]) | 1,
                _ => 0,
            };
            numbers.windows(3).map(hash).collect()
        };
        // Where each triple stands before; of many alike the first few count.
        let mut slots = [(0_u32, 0_u32); 1024];
        let slots_of = |triple: u32| (0..4).map(move |i| ((triple >> 1) as usize + i) % 1024);
        for (x, triple) in triples(self.before).into_iter().enumerate().filter(|(_, triple)| *triple != 0) {
            if let Some(slot) = slots_of(triple).find(|&slot| slots[slot].0 == 0) {
                slots[slot] = (triple, saturate::<u32>(x));
            }
        }
        for (x, triple) in triples(self.after).into_iter().enumerate().filter(|(_, triple)| *triple != 0) {
            for (_, before) in slots_of(triple).map(|slot| slots[slot]).filter(|slot| slot.0 == triple) {
                let by =
                    saturate::<isize>(before) - saturate::<isize>(x) + saturate::<isize>(votes.len()) / 2;
                if let Some(votes) = usize::try_from(by).ok().and_then(|by| votes.get_mut(by)) {
                    *votes += 1;
                }
            }
        }
    }
}

/// Of a few likely distances, in columns (positive: to the left), the one that saves most bytes, those of the
/// shifts not counted, in the lines with the most changed cells; `None` if none of them saves any.
fn columns_moved(lines: &[Line<'_>], width: usize) -> Option<isize> {
    let mut most: Vec<&Line<'_>> = lines.iter().collect();
    most.sort_unstable_by_key(|line| std::cmp::Reverse(line.changed));
    most.truncate(LOOKED_AT);
    let farthest = width * 2 / 3;
    let mut votes = vec![0; 2 * farthest + 1];
    most.iter().for_each(|line| line.vote(&mut votes));
    // A few are alike by chance.
    let cells: usize = most.iter().map(|line| line.after.len()).sum();
    let mut likely: Vec<usize> = (0..votes.len()).filter(|&by| votes[by] as usize > cells / 24).collect();
    likely.sort_unstable_by_key(|&by| std::cmp::Reverse(votes[by]));
    likely.truncate(TRIED);
    let cost = |by: isize| most.iter().map(|line| line.cost(by).min(line.cost_unmoved())).sum::<u32>();
    let shifts = likely.into_iter().map(|by| saturate::<isize>(by) - saturate::<isize>(farthest));
    let best = std::iter::once(0).chain(shifts).min_by_key(|&by| cost(by))?;
    (best != 0).then_some(best)
}

/// Estimates how many bytes writing each of `cells`, one after the other, needs.
fn bytes(cells: &[Code]) -> Vec<u32> {
    let mut last = Code::BLANK;
    let mut bytes = |&cell: &Code| {
        let before = std::mem::replace(&mut last, cell);
        let of_color = if cell.has_colors_of(before) { 0 } else { 9 };
        if cell == Code::BLANK && before == Code::BLANK { 0 } else { cell.bytes() + of_color }
    };
    cells.iter().map(&mut bytes).collect()
}
