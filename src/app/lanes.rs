//! What commands do to many lanes at once.
//!
//! Must not know which key does what.

use crate::model::GroupKind;

use super::lines::LineKind;
use super::state::State;

impl State {
    /// The group of the focused line.
    pub(super) fn focused_group(&self) -> Option<u32> {
        let trace = &self.session.trace;
        self.lines.get(self.focus).map(|line| match line.kind {
            LineKind::Group(group)
            | LineKind::Idle(group)
            | LineKind::Merged(group)
            | LineKind::More(group) => group,
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                trace.lanes[lane as usize].group
            }
        })
    }

    /// Merges the streams of the focused line's device in one line, or shows each again; elsewhere those of the first device shown.
    pub(super) fn join_streams(&mut self) {
        let trace = &self.session.trace;
        let is_device = |group: &u32| trace.groups[*group as usize].kind == GroupKind::Device;
        let first = || self.session.order.groups.iter().copied().find(is_device);
        let Some(group) = self.focused_group().filter(is_device).or_else(first) else {
            return self.say("there is no device in this trace");
        };
        let focused = self.lines.get(self.focus).map(|line| line.kind);
        if !self.lines.toggle_merged(&self.session.trace, group) {
            self.say("this device has one stream only");
        }
        let same = focused.and_then(|kind| self.lines.find(kind));
        let heading = self.lines.find(LineKind::Group(group));
        let joined = self.lines.find(LineKind::Merged(group));
        self.focus = same.or(joined).or(heading).unwrap_or(self.focus);
        self.scroll_to_focus();
    }
}
