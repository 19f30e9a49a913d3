//! Draws the line of tabs: the topics of the pane, the sub-tabs of the one that is open, and at the right end
//! facts on the pane shown.
//!
//! Must not know what a pane contains.

use ratatui::style::Style;

use crate::app::input::bindings::Keys;
use crate::app::pane::clicks::Click;
use crate::app::pane::topics::{TOPICS, Topic};
use crate::app::view::geometry::Area;
use crate::app::{Pane, Region, State, command};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::paint::Painter;
use super::theme::Token;

/// The columns between two topics.
const BETWEEN: usize = 2;

/// A name on the line of tabs.
struct Piece {
    /// The pane that a click on the name shows.
    pane: Pane,
    /// The key before the name; empty if no key shows the pane.
    key: String,
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A topic that is not open.
    Closed,
    /// The topic that is open.
    Open,
    /// A sub-tab of the open topic.
    Tab,
    /// The sub-tab that is shown.
    Shown,
    /// A mark that there are more sub-tabs than there is room for.
    More,
}

/// How much of the line there is room for, beside the sub-tab shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// The names of all topics.
    Names,
    /// The keys of all topics.
    Keys,
    /// Nothing.
    Shown,
}

impl Piece {
    fn width(&self) -> usize {
        self.key.chars().count()
            + usize::from(!self.key.is_empty() && !self.name.is_empty())
            + self.name.len()
    }
}

/// The topics and sub-tabs on the line of tabs, as far as there is room.
pub(super) struct Tabs(Vec<Piece>);

impl Tabs {
    /// The pieces of the line for `room` columns. Where there is little, sub-tabs far from the one shown are
    /// left out, then the names of closed topics.
    pub(super) fn of(state: &State, room: usize) -> Self {
        let shown = state.panes.shown();
        let topic = Topic::of(shown);
        let tabs = topic.offered(shown, &state.session);
        let at = tabs.iter().position(|&pane| pane == shown).unwrap_or_default();
        let mut all = Self::least(state, Room::Names);
        if all.width() > room {
            all = Self::least(state, Room::Keys);
            return if all.width() > room { Self::least(state, Room::Shown) } else { all };
        }
        // More sub-tabs, after the one shown, then before it.
        let (mut from, mut to) = (at, at + 1);
        loop {
            let wider = [(from, to + 1), (from.wrapping_sub(1), to)].into_iter().find_map(|(from, to)| {
                let is_there = from < to && to <= tabs.len();
                let wider = is_there.then(|| Self::around(state, topic, &tabs, (from, to), true))?;
                (wider.width() <= room).then_some((wider, from, to))
            });
            match wider {
                Some(wider) => (all, from, to) = wider,
                None => return all,
            }
        }
    }

    /// The pieces with no more sub-tabs than the one shown.
    fn least(state: &State, level: Room) -> Self {
        let shown = state.panes.shown();
        let topic = Topic::of(shown);
        let tabs = topic.offered(shown, &state.session);
        let at = tabs.iter().position(|&pane| pane == shown).unwrap_or_default();
        let mut least = Self::around(state, topic, &tabs, (at, at + 1), level != Room::Keys);
        if level == Room::Shown {
            least.0.retain(|piece| piece.kind == Kind::Shown);
        }
        least
    }

    /// The columns of all pieces with the blanks between them.
    pub(super) fn width(&self) -> usize {
        let gaps = self.0.windows(2).map(|pair| gap(&pair[0], &pair[1])).sum::<usize>();
        gaps + self.0.iter().map(Piece::width).sum::<usize>()
    }

    /// The pieces with the sub-tabs of `topic` in the range `(from, to)` of `tabs`; closed topics have their
    /// names only if `has_names`.
    fn around(
        state: &State,
        topic: &'static Topic,
        tabs: &[Pane],
        (from, to): (usize, usize),
        has_names: bool,
    ) -> Self {
        let shown = state.panes.shown();
        let key = |pane| key(pane, &state.keys);
        let mut pieces = Vec::new();
        for other in TOPICS {
            let first = other.tabs[0].pane;
            if !std::ptr::eq(topic, other) {
                let name = if has_names { other.title.to_owned() } else { String::new() };
                pieces.push(Piece { pane: first, key: key(first), name, kind: Kind::Closed });
                continue;
            }
            if tabs.len() == 1 {
                pieces.push(Piece {
                    pane: first,
                    key: key(first),
                    name: other.title.to_owned(),
                    kind: Kind::Shown,
                });
                continue;
            }
            let title = format!("{}:", other.title);
            pieces.push(Piece { pane: first, key: key(first), name: title, kind: Kind::Open });
            let more = |pane: Pane, mark: &str| Piece {
                pane,
                key: String::new(),
                name: mark.to_owned(),
                kind: Kind::More,
            };
            if from > 0 {
                pieces.push(more(tabs[from - 1], "<"));
            }
            for &pane in &tabs[from..to] {
                let kind = if pane == shown { Kind::Shown } else { Kind::Tab };
                // The key of the topic is that of its first sub-tab.
                let key = if pane == first { String::new() } else { key(pane) };
                pieces.push(Piece { pane, key, name: pane.title().to_owned(), kind });
            }
            if to < tabs.len() {
                pieces.push(more(tabs[to], ">"));
            }
        }
        Self(pieces)
    }

    /// Draws the pieces from the column `x` on; returns the column after them.
    pub(super) fn draw(&self, state: &State, area: Area, painter: &mut Painter<'_>) -> u16 {
        let mut x = area.x;
        for (at, piece) in self.0.iter().enumerate() {
            if at > 0 {
                let blanks = saturate::<u16>(gap(&self.0[at - 1], piece));
                x = painter.str(
                    x,
                    area.y,
                    blanks,
                    &" ".repeat(usize::from(blanks)),
                    painter.theme.text(Token::Dim),
                );
            }
            let (key, name) = styles(piece, state, painter);
            let from = x;
            let left = |x: u16| (area.x + area.width).saturating_sub(x);
            x = painter.str(x, area.y, left(x), &piece.key, key);
            if !piece.key.is_empty() && !piece.name.is_empty() {
                x = painter.str(x, area.y, left(x), " ", name);
            }
            x = match (piece.kind, piece.name.as_str()) {
                (Kind::More, mark) => {
                    painter.glyph(x, area.y, if mark == "<" { '‹' } else { '›' }, name);
                    x + 1
                }
                (_, text) => painter.str(x, area.y, left(x), text, name),
            };
            state.clicks.note(Area { x: from, width: x - from, height: 1, ..area }, Click::Pane(piece.pane));
        }
        x
    }
}

/// The styles of a piece's key and name.
fn styles(piece: &Piece, state: &State, painter: &Painter<'_>) -> (Style, Style) {
    let theme = painter.theme;
    let (bright, dim) = (theme.text(Token::Title), theme.text(Token::Dim));
    match (piece.kind, state.panes.region()) {
        (Kind::Closed | Kind::Tab, _) => (bright, dim),
        (Kind::Open, _) => (bright, theme.text(Token::Text)),
        (Kind::Shown, Region::Pane) => (theme.chosen(), theme.chosen()),
        (Kind::Shown, Region::Timeline) => (bright, bright),
        (Kind::More, _) => (dim, dim),
    }
}

/// The blanks between two pieces.
fn gap(before: &Piece, after: &Piece) -> usize {
    let is_inside = matches!(after.kind, Kind::Tab | Kind::More)
        || after.kind == Kind::Shown && matches!(before.kind, Kind::Open | Kind::Tab | Kind::More);
    if is_inside { 1 } else { BETWEEN }
}

/// The label of the key that shows a pane; empty if none does.
fn key(pane: Pane, keys: &Keys) -> String {
    command::of_pane(pane).key_labels(keys, false).into_iter().next().unwrap_or_default()
}

/// From this importance on a fact is shown also where topics have no room for it.
pub(super) const NEEDED: u8 = 4;

/// The facts of at least this importance, as one text.
fn text(facts: &[(u8, String)], least: u8) -> SafeText<'static> {
    let shown = facts.iter().filter(|fact| fact.0 >= least).map(|fact| fact.1.as_str());
    let text = shown.collect::<Vec<_>>().join(", ");
    SafeText::from(if text.is_empty() { text } else { format!(" {text} ") })
}

/// Draws the line of tabs into `area`, with as many `facts` at its right end, by importance, as there is room
/// for beside the names of topics.
pub(super) fn draw(state: &State, area: Area, facts: &[(u8, String)], painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    let frame = painter.theme.text(Token::Dim);
    for x in area.x..area.x + area.width {
        painter.glyph(x, area.y, '─', frame);
    }
    // A dash and a blank on the left, a dash on the right.
    let room = usize::from(area.width).saturating_sub(3);
    let levels = [Room::Names, Room::Keys, Room::Shown].map(|level| Tabs::least(state, level));
    let needed = text(facts, NEEDED).width();
    let least = levels.iter().find(|tabs| tabs.width() + needed <= room).unwrap_or(&levels[2]).width();
    let left = room.saturating_sub(least);
    let most = facts.iter().map(|fact| fact.0).max().unwrap_or_default();
    let facts = (0..=most).map(|least| text(facts, least)).find(|text| text.width() <= left);
    let facts = facts.unwrap_or_default();
    let x = painter.str(area.x + 1, area.y, 1, " ", frame);
    let tabs = Tabs::of(state, room.saturating_sub(facts.width()));
    let end = tabs.draw(state, Area { x, width: area.width.saturating_sub(x), ..area }, painter);
    painter.str(end, area.y, 1, " ", frame);
    let width = saturate::<u16>(facts.width());
    if !facts.is_empty() && end + width < area.width {
        painter.text(area.width - width - 1, area.y, width, &facts, frame);
    }
}
