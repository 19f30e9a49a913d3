//! Following a link of the selected event to the event at its other end, or a row of a summary to its event.
//!
//! Must not know which links there are or how they are found.

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_insight::analysis::views::verdict;
use proftui_trace::model::SliceId;

use super::select::select_first;
use crate::app::input::bindings;
use crate::app::input::prefix::Prefix;
use crate::app::pane::links::Link;
use crate::app::pane::overlay::{ListItem, Overlay, Target};
use crate::app::pane::panes::Pane;
use crate::app::pane::table_pane::{ScopeChoice, TablePane};
use crate::app::session::Selection;
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::wires::message::Message;

/// The most links that the list of links shows.
const LISTED: usize = 500;

impl State {
    /// Goes to the event of the focused row of a summary, or says that there is none. Usually also searches
    /// the whole trace for the events of that name.
    pub fn follow_row_event(&mut self) {
        let Some((target, name)) = self.table().and_then(TablePane::target) else {
            return self.say("there is no event to go to here");
        };
        let trace = &self.session.trace;
        if trace.name(target) != name {
            return self.jump(target);
        }
        let wanted = trace.slices.name[target];
        let others = self.session.name_counts[wanted];
        let is_longest = self.table().is_some_and(|pane| pane.table.column("max").is_some());
        let which = if is_longest { "the longest" } else { "one" };
        let bytes = trace.strings.bytes(wanted).into();
        self.search_for_name(name.as_str(), bytes, false);
        self.jump(target);
        let (next, previous) = (self.keys.label(bindings::NEXT_HIT), self.keys.label(bindings::PREVIOUS_HIT));
        let events = fmt::counted(others.into(), "event");
        // The row may be of a part of the trace; the search is not.
        let which = if self.summaries.scope_choice() == ScopeChoice::Whole {
            format!("{which} of {events}")
        } else {
            format!("{which} of this row; {events} of this name are loaded")
        };
        self.message = Some(if others > 1 {
            Message::new(which).and(format!("; {next} goes to the next, {previous} to the previous one"))
        } else {
            Message::new("the only loaded event of this name")
        });
    }

    /// Brings what the focused row is about onto the screen, and selects it, in a pane of findings or of what
    /// a search found. The pane keeps the focus.
    pub(crate) fn preview_row(&mut self) {
        let shown = self.panes.shown();
        let Some(pane) = self.table().filter(|_| shown == Pane::Found || Some(shown) == Pane::verdict())
        else {
            return;
        };
        match (pane.location(&self.session.trace), pane.target()) {
            (Some(location), _) => self.go_to_location(location),
            (None, Some((id, _))) => self.jump(id),
            (None, None) => {}
        }
    }

    /// Goes to the finding with the number that was typed.
    pub(crate) fn go_to_typed_finding(&mut self) {
        match self.dialog.digit() {
            Some(number) => self.go_to_finding(number),
            None => self.dialog.begin(Prefix::Finding),
        }
    }

    /// Goes to the location of the finding with this number, from 1, and shows the details there; says so if
    /// there is none.
    pub(crate) fn go_to_finding(&mut self, number: usize) {
        let table = Pane::verdict().and_then(|pane| match pane {
            Pane::Table(view) => self.summaries.table(view),
            Pane::Details | Pane::Found => None,
        });
        let Some(pane) = table else { return self.say("the findings are still being made") };
        let row = number.checked_sub(1).filter(|&at| at < verdict::findings(&pane.table));
        let location = row.and_then(|row| pane.location_of(pane.table.rows.get(row)?, &self.session.trace));
        match location {
            Some(location) => {
                self.go_to_location(location);
                self.panes.show(Pane::Details);
                self.scroll_to_focus();
            }
            None if row.is_some() => self.say(format!("finding {number} has no location in the trace")),
            None => self.say(format!("there is no finding {number}")),
        }
    }

    /// Follows a link of the selected event or gap in `direction`, or opens a list of the links if there are
    /// several. Says why if there is none.
    pub fn follow_link(&mut self, direction: Direction) {
        let of = match self.selected.selection() {
            Some(Selection::Slice(id)) => Some(id),
            Some(Selection::Idle(..)) => None,
            _ => return self.say(select_first(&self.keys)),
        };
        let is_wanted = |link: &&Link| link.kind.is_forward() == (direction == Direction::Forward);
        let links: Vec<Link> = self.selected.details().links.iter().filter(is_wanted).copied().collect();
        match links.as_slice() {
            [] => {
                let why = self.why_no_link(of, direction);
                self.say(why);
            }
            [one] => self.jump(one.target),
            several => {
                let items = several.iter().take(LISTED).map(|link| self.list_item(link)).collect();
                let more = several.len().saturating_sub(LISTED);
                let more = if more > 0 {
                    format!(" (only the first {LISTED} of {} are listed)", several.len())
                } else {
                    String::new()
                };
                let name = of.map_or(SafeText::new("the gap"), |id| self.session.trace.name(id));
                let title = SafeText::from(format!("{} links of {name}{more}", several.len()));
                self.dialog.open(Overlay::list(title, items));
            }
        }
    }

    fn list_item(&self, link: &Link) -> ListItem {
        let trace = &self.session.trace;
        let lane = &trace.lanes[trace.lane_of(link.target)];
        let how = match link.delay {
            Some(delay) => format!("queue {:>9}", fmt::duration(delay)),
            None => link.kind.title().to_owned(),
        };
        let took = fmt::duration(trace.slices.dur[link.target]);
        ListItem {
            title: trace.name(link.target).into_owned(),
            note: SafeText::from(format!("{how} · took {took:>9} · {}", trace.lane_title(lane))),
            target: Target::Event(link.target),
        }
    }

    /// A message on why there is no link in `direction` from the event `of`, or from the selected gap if `of`
    /// is none.
    fn why_no_link(&self, of: Option<SliceId>, direction: Direction) -> &'static str {
        let is_work = of.is_none_or(|id| self.session.trace.slices.category(id).is_device_work());
        match direction {
            _ if self.source.is_snapshot() => "the trace is still being read: no link that way is read yet",
            Direction::Back if is_work => {
                "no launch is known: it came before the recording, or was not recorded, loaded or linked"
            }
            Direction::Back => "this event has no launch, forward operator or flow to go back to",
            Direction::Forward if is_work => "there is no link forward from here",
            Direction::Forward => "this event has no device work, backward operator or flow to go to",
        }
    }
}
