//! The division of the screen into regions, shared by the update, which scrolls, and the drawing.
//!
//! ```text
//! ┌ title ───────────────────────────────── badge ┐ 1
//! │ answer                                        │ 1 to 3 (where there is one)
//! │ minimap                                       │ 1 or 2 (where there is room)
//! │ ruler                                         │ 1
//! │ labels      │ timeline                        │ what is left
//! ├ panes ────────────────────────────────────────┤ 1 tab line and the pane
//! └ footer ───────────────────────────────────────┘ 1
//! ```

use proftui_base::saturate::saturate;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Leftmost column, from 0.
    pub x: u16,
    /// Topmost line, from 0.
    pub y: u16,
    /// Width in columns.
    pub width: u16,
    /// Height in lines.
    pub height: u16,
}

impl Area {
    /// True if the cell at this column and line of the screen is in the area.
    pub fn has(self, x: u16, y: u16) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// How much of the screen the pane takes, where there is room for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaneSize {
    /// The pane is not shown.
    Hidden,
    /// Usually a few lines, and half of those that the timeline does not need at least; fewer if the pane's
    /// content needs fewer, more if the timeline has no use for the rest.
    #[default]
    Small,
    /// Usually two thirds of the lines that the timeline and the pane share.
    Large,
}

impl PaneSize {
    /// The size after this one: small, large, hidden, small again.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Hidden => Self::Small,
            Self::Small => Self::Large,
            Self::Large => Self::Hidden,
        }
    }
}

/// The areas of the screen's regions, in cells of the whole screen. Any may be empty on a small screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// The line at the top, with the file's name and facts about the trace.
    pub title: Area,
    /// The lines of the answer.
    pub answer: Area,
    /// The lines of the minimap: two on a screen of 30 lines or more, one or none on a smaller one.
    pub minimap: Area,
    /// The line with the times of the viewport.
    pub ruler: Area,
    /// The part to the left of the timeline with the names of groups and lanes.
    pub labels: Area,
    /// The lines of the timeline, without their labels.
    pub timeline: Area,
    /// The line with the panes' names.
    pub tabs: Area,
    /// The pane below the tabs.
    pub pane: Area,
    /// The line at the bottom, for messages and hints.
    pub footer: Area,
}

/// The fewest lines of a screen whose minimap has a line for devices and one for the host.
const TALL: u16 = 30;

/// The fewest lines of the timeline and of a small pane on screens of less than so many lines.
const LEAST: [(u16, u16, u16); 2] = [(30, 9, 5), (50, 11, 7)];

/// How much room the labels and the pane want on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The columns that labels of lanes need so that usually none is cut.
    pub labels: usize,
    /// The lines of the answer; 0 if the trace has none.
    pub answer: usize,
    /// The lines of the pane's content, without the line of tabs; none if they are not known, or the content
    /// fills any room.
    pub pane: Option<usize>,
    /// The lines of the timeline; none if they are not known.
    pub timeline: Option<usize>,
    /// How many more rows the timeline could use to draw lanes taller.
    pub taller: usize,
}

impl Geometry {
    /// Divides a screen of `width` columns and `height` lines into regions; regions that do not fit are
    /// empty.
    pub fn of(width: u16, height: u16, pane: PaneSize, wants: Wants) -> Self {
        let mut left = height;
        let mut take = |want: u16, keep: u16| {
            let got = if left >= want + keep { want } else { 0 };
            left -= got;
            got
        };
        let title = take(1, 1);
        let footer = take(1, 2);
        let ruler = take(1, 2);
        let answer = take(saturate::<u16>(wants.answer), 8);
        let minimap = if height >= TALL { 2 } else { 1 };
        let minimap = take(minimap, 12);
        let body = left;
        let pane_rows = match pane {
            PaneSize::Hidden => 0,
            PaneSize::Small => small_pane(body, height, wants),
            PaneSize::Large => body * 2 / 3,
        };
        // The timeline keeps at least three rows; a pane needs its tab line and one more.
        let pane_rows = if body >= 3 + 2 { pane_rows.min(body - 3) } else { 0 };
        let rows = body - pane_rows;
        let most = (u32::from(width) * 28 / 100).clamp(18, 44) as usize;
        let labels = if width >= 40 { saturate::<u16>(wants.labels.clamp(18, most)) } else { 0 };
        let mut y = 0;
        let mut band = |height: u16| {
            let area = Area { x: 0, y, width, height };
            y += height;
            area
        };
        let title = band(title);
        let answer = band(answer);
        let minimap = band(minimap);
        let ruler = band(ruler);
        let body = band(rows);
        let tabs = band(u16::from(pane_rows > 0));
        let pane = band(pane_rows.saturating_sub(1));
        let footer = band(footer);
        let right = |area: Area| Area { x: labels, width: width - labels, ..area };
        Self {
            title,
            answer,
            minimap: right(minimap),
            ruler: right(ruler),
            labels: Area { width: labels, ..body },
            timeline: right(body),
            tabs,
            pane,
            footer,
        }
    }
}

/// How many of the `body` lines that the timeline and the pane share on a screen of `height` lines a small
/// pane gets, with its tabs.
fn small_pane(body: u16, height: u16, wants: Wants) -> u16 {
    let (lanes, pane) =
        LEAST.iter().find(|least| height < least.0).map_or((18, 12), |least| (least.1, least.2));
    let most = match body.checked_sub(lanes + pane + 1) {
        // What is left is shared.
        Some(left) => pane + 1 + left / 2,
        None => (body / 3).max(4),
    };
    // With the line of its tabs.
    let wanted = wants.pane.map_or(most, |lines| most.min(saturate::<u16>(lines + 1)));
    let Some(lines) = wants.timeline else { return wanted };
    // What the lines of the timeline leave is for all of the pane's content, then for taller lanes, then the
    // pane's: no blank rows stand between them.
    let beside = |lines: usize| body.saturating_sub(saturate::<u16>(lines));
    let whole = wants.pane.map_or(u16::MAX, |lines| saturate::<u16>(lines + 1));
    wanted.max(whole.min(beside(lines))).max(beside(lines.saturating_add(wants.taller)))
}

/// How many lines of a screen of `height` lines the answer gets: at most three, of which all are usually for
/// its first sentence on a smaller screen. `first` and `all` are the lines of that sentence and of the whole.
pub(crate) fn answer_lines(height: u16, first: usize, all: usize) -> usize {
    let most = match height {
        0..12 => 0,
        12..20 => 1,
        20..40 => first.clamp(2, 3),
        _ => 3,
    };
    all.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_adds_up() {
        for pane in [PaneSize::Hidden, PaneSize::Small, PaneSize::Large] {
            for width in 0..60 {
                for height in 0..60 {
                    let g =
                        Geometry::of(width, height, pane, Wants { answer: width.into(), ..Wants::default() });
                    let used = [g.title, g.answer, g.minimap, g.ruler, g.timeline, g.tabs, g.pane, g.footer]
                        .iter()
                        .map(|a| a.height)
                        .sum::<u16>();
                    assert_eq!(used, height, "{width}x{height}");
                    assert_eq!(g.labels.width + g.timeline.width, width);
                }
            }
        }
    }

    #[test]
    fn a_common_screen_has_everything() {
        let g = Geometry::of(80, 24, PaneSize::Small, Wants::default());
        assert!(g.minimap.height == 1 && g.pane.height >= 4 && g.timeline.height >= 10, "{g:?}");
    }

    #[test]
    fn labels_and_pane_take_what_they_need() {
        let of =
            |labels, pane| Geometry::of(80, 24, PaneSize::Small, Wants { labels, pane, ..Wants::default() });
        assert_eq!(
            (of(0, None).labels.width, of(21, None).labels.width, of(99, None).labels.width),
            (18, 21, 22)
        );
        let heights = [None, Some(1), Some(3), Some(99)].map(|pane| of(0, pane).pane.height);
        assert_eq!(heights, [7, 1, 3, 7]);
    }
}
