//! Which lines are on the screen: scrolling, and rows without events at the time shown, which take no line.
//!
//! Must not know what a line shows.

use proftui_base::saturate::saturate;
use proftui_trace::model::{GroupKind, RowId, Trace};

use super::Timeline;
use crate::app::session::Session;
use crate::app::view::lines::LineKind;

/// The longest time range over which pans keep the lines of rows, in lengths of the viewport.
const KEPT: i64 = 3;

/// The most rows of the screen that a line takes.
const TALLEST: usize = 4;

impl Timeline {
    /// The indices of the lines on a screen of `height` lines, top to bottom: pinned lines first, at most
    /// half as many as the screen has, then the lines below these from the scroll position on.
    pub(crate) fn visible(&self, session: &Session, height: usize) -> impl Iterator<Item = usize> {
        let pinned = self.pinned_on_screen(height);
        let from = self.scroll.max(pinned);
        let rest = (from..self.lines.len()).filter(move |&line| self.has_line(session, line));
        (0..pinned).chain(rest.take(height - pinned))
    }

    /// The indices of the lines on the rows of a screen of `height` rows, top to bottom. Where all lines have
    /// room, those of devices and counters take several rows each.
    pub(crate) fn on_screen(&self, session: &Session, height: usize) -> Vec<usize> {
        let visible: Vec<usize> = self.visible(session, height).collect();
        // Lines without events at the time shown count: lanes keep their heights at every zoom.
        let spare = height.saturating_sub(self.lines.len()).min(self.taller_rows(&session.trace));
        let tall = visible.iter().filter(|&&line| self.is_tall(&session.trace, line)).count();
        let (each, more) = (spare.checked_div(tall).unwrap_or_default(), spare.checked_rem(tall));
        let mut left = more.unwrap_or_default();
        let rows = visible.iter().flat_map(|&line| {
            let mut rows = 1;
            if self.is_tall(&session.trace, line) {
                rows += each + usize::from(left > 0);
                left = left.saturating_sub(1);
            }
            std::iter::repeat_n(line, rows)
        });
        rows.collect()
    }

    /// How many rows the lines of devices and counters can use beside their first ones.
    pub(crate) fn taller_rows(&self, trace: &Trace) -> usize {
        (0..self.lines.len()).filter(|&line| self.is_tall(trace, line)).count() * (TALLEST - 1)
    }

    /// True if a line shows one share or value at a time, which more rows show more finely.
    fn is_tall(&self, trace: &Trace, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| match line.kind {
            LineKind::Group(group) => {
                let group = &trace.groups[group];
                let has_work = || trace.lanes[group.lanes].iter().any(|lane| !lane.slices.is_empty());
                group.kind == GroupKind::Device && has_work()
            }
            LineKind::Counter(..) => true,
            _ => false,
        })
    }

    /// How many pinned lines a screen of `height` lines always shows: at most half as many as it has.
    fn pinned_on_screen(&self, height: usize) -> usize {
        self.lines.pinned_len().min(height / 2)
    }

    /// True if the line with index `line` takes a line of the screen; usually false for a row without events
    /// in the time shown.
    fn has_line(&self, session: &Session, line: usize) -> bool {
        let Some(it) = self.lines.get(line) else { return false };
        let LineKind::Row(_, row) = it.kind else { return true };
        if it.is_head || it.is_pinned || line == self.focus {
            return true;
        }
        self.in_view.has_event(session, row, self.shown_time)
    }

    /// Moves the focus by `by` lines of the screen (negative: up), at most to the first or last one. False if
    /// it stays.
    pub(crate) fn move_focus(&mut self, session: &Session, by: isize) -> bool {
        let before = self.focus;
        self.focus = self.line_after(session, before, by);
        self.focus != before
    }

    /// The index of the line that is `by` lines of the screen after the line `from` (negative: before it), or
    /// of the furthest line there is.
    fn line_after(&self, session: &Session, from: usize, by: isize) -> usize {
        let mut at = from;
        for _ in 0..by.unsigned_abs() {
            let next = if by > 0 {
                (at + 1..self.lines.len()).find(|&line| self.has_line(session, line))
            } else {
                (0..at).rev().find(|&line| self.has_line(session, line))
            };
            let Some(next) = next else { break };
            at = next;
        }
        at
    }

    /// Gives lines to the rows that have events in the viewport; pans keep the lines of other rows for a
    /// while. True if rows may have gained or lost lines.
    pub(crate) fn settle_rows(&mut self) -> bool {
        let (shown, now) = (self.shown_time, self.viewport);
        let both = shown.union(now);
        let is_pan = shown.overlaps(now)
            && self.shown_length == now.len()
            && both.len() <= now.len().saturating_mul(KEPT);
        self.shown_length = now.len();
        self.shown_time = if is_pan { both } else { now };
        self.shown_time != shown
    }

    /// Scrolls to the first line of a row's lane; does nothing if the lane has no line of its own.
    pub(super) fn scroll_to_lane(&mut self, trace: &Trace, row: RowId) {
        self.scroll = self.lines.head_of(trace.rows[row].lane).unwrap_or(self.scroll);
    }

    /// Scrolls so that a screen of `height` lines shows the focused line and, if there is room, the line
    /// above it.
    pub(crate) fn scroll_to_focus(&mut self, session: &Session, height: usize) {
        let pinned = self.pinned_on_screen(height);
        let room = saturate::<isize>(height.saturating_sub(pinned).max(1));
        if self.is_focus_on_screen(session, pinned, room) {
            return;
        }
        let end = self.lines.len().saturating_sub(1);
        // If the last line of the list takes no line of the screen, the end is the line above that does.
        let end = if self.has_line(session, end) { end } else { self.line_after(session, end, -1) };
        let last = self.line_after(session, end, 1 - room).max(pinned);
        if self.focus >= pinned {
            let highest = self.highest_scroll(session, pinned, room);
            let lowest = self.line_after(session, self.focus, 1 - room).min(highest);
            self.scroll = self.scroll.clamp(lowest.max(pinned.min(highest)), highest);
        }
        self.scroll = self.scroll.clamp(pinned, last);
    }

    /// The highest scroll position that shows the focused line, with the line above it if there is room.
    fn highest_scroll(&self, session: &Session, pinned: usize, room: isize) -> usize {
        self.line_after(session, self.focus, -isize::from(room > 1)).max(pinned)
    }

    /// True if the scroll position can stay: below the pinned lines, the screen is full and shows the focused
    /// line and, if there is room, the line above it.
    fn is_focus_on_screen(&self, session: &Session, pinned: usize, room: isize) -> bool {
        let highest = || self.highest_scroll(session, pinned, room);
        if self.scroll < pinned || self.focus < pinned || self.scroll > highest() {
            return false;
        }
        let lines = (self.scroll..self.lines.len()).filter(|&line| self.has_line(session, line));
        let shown: Vec<usize> = lines.take(room.unsigned_abs()).collect();
        shown.len() == room.unsigned_abs() && shown.contains(&self.focus)
    }
}
