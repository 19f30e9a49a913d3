//! The topics of the pane: each shows one subject, in sub-tabs that are panes of their own.
//!
//! Must not know which pane is shown, nor how a tab is drawn.

use proftui_insight::analysis::VIEWS;

use super::kinds::Pane;
use crate::app::session::Session;

/// A topic of the pane, with its sub-tabs.
#[derive(Debug)]
pub struct Topic {
    /// The name of the topic on the line of tabs.
    pub title: &'static str,
    /// The panes of the topic. The key of the first one is the key of the topic.
    pub tabs: &'static [Tab],
}

/// A sub-tab of a topic.
#[derive(Clone, Copy, Debug)]
pub struct Tab {
    /// The pane that the sub-tab shows.
    pub pane: Pane,
    /// What a trace needs for the pane to have rows.
    needs: Needs,
}

/// What a trace needs for a pane to have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Nothing, or what only making the table would find.
    Nothing,
    /// Recorded work of a device.
    Device,
    /// Steps.
    Steps,
    /// Steps of a serving engine.
    Serving,
    /// Memory events.
    Memory,
    /// A search: the sub-tab is only there while it is shown.
    Search,
}

/// The topics, in the order of the line of tabs. Each view is in one of them.
pub static TOPICS: &[Topic] = &[
    Topic { title: "Here", tabs: &[Tab { pane: Pane::Details, needs: Needs::Nothing }] },
    Topic {
        title: "Why",
        tabs: &[tab("verdict", Needs::Nothing), tab("idle", Needs::Device), tab("waits", Needs::Device)],
    },
    Topic {
        title: "Time",
        tabs: &[
            tab("steps", Needs::Steps),
            tab("device", Needs::Device),
            tab("model", Needs::Steps),
            tab("host", Needs::Nothing),
            tab("distributed", Needs::Device),
            tab("launches", Needs::Device),
            tab("serving", Needs::Serving),
            tab("stages", Needs::Steps),
            tab("perf", Needs::Steps),
            tab("busy", Needs::Device),
            tab("kinds", Needs::Device),
            tab("queue", Needs::Device),
        ],
    },
    Topic {
        title: "Names",
        tabs: &[
            tab("operator", Needs::Nothing),
            tab("kernel", Needs::Device),
            tab("memcpy", Needs::Device),
            tab("userdefined", Needs::Nothing),
            tab("calls", Needs::Nothing),
            tab("names", Needs::Nothing),
            tab("flame", Needs::Nothing),
            tab("roofline", Needs::Device),
            Tab { pane: Pane::Found, needs: Needs::Search },
        ],
    },
    Topic {
        title: "Memory",
        tabs: &[tab("peak", Needs::Memory), tab("memory", Needs::Memory), tab("allocations", Needs::Memory)],
    },
    Topic { title: "Data", tabs: &[tab("quality", Needs::Nothing), tab("overview", Needs::Nothing)] },
];

/// The sub-tab that shows a view.
const fn tab(name: &str, needs: Needs) -> Tab {
    Tab { pane: Pane::Table(view(name)), needs }
}

/// The index in [`VIEWS`] of the view with this name. In a constant, a name that no view has does not
/// compile.
pub(crate) const fn view(name: &str) -> usize {
    let mut at = 0;
    while !is_same(VIEWS[at].name.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Tab {
    /// True if the pane may have something to show of this trace.
    pub fn has_something(&self, session: &Session) -> bool {
        let trace = &session.trace;
        match self.needs {
            Needs::Nothing => true,
            Needs::Device => !session.ledger.devices.is_empty(),
            Needs::Steps => !trace.steps.is_empty(),
            Needs::Serving => trace.steps.iter().any(|step| step.serving.is_some()),
            Needs::Memory => !trace.memory.is_empty(),
            Needs::Search => false,
        }
    }
}

impl Topic {
    /// The topic that has this pane among its sub-tabs.
    pub fn of(pane: Pane) -> &'static Self {
        TOPICS.iter().find(|topic| topic.tabs.iter().any(|tab| tab.pane == pane)).unwrap_or(&TOPICS[0])
    }

    /// The sub-tabs to be shown while `shown` is the pane shown: those that may have something to show, and
    /// that one.
    pub fn offered(&self, shown: Pane, session: &Session) -> Vec<Pane> {
        let is_offered = |tab: &&Tab| tab.pane == shown || tab.has_something(session);
        self.tabs.iter().filter(is_offered).map(|tab| tab.pane).collect()
    }
}

/// All panes, in the order of the tabs.
pub fn all() -> impl Iterator<Item = Pane> {
    TOPICS.iter().flat_map(|topic| topic.tabs).map(|tab| tab.pane)
}

/// The panes to which the explorer goes one after the other from `shown`: the sub-tabs of all topics that are
/// offered.
pub fn offered(shown: Pane, session: &Session) -> Vec<Pane> {
    TOPICS.iter().flat_map(|topic| topic.offered(shown, session)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pane_is_in_one_topic() {
        let mut panes: Vec<Pane> = TOPICS.iter().flat_map(|topic| topic.tabs).map(|tab| tab.pane).collect();
        assert_eq!(panes.len(), 2 + VIEWS.len());
        panes.sort_unstable_by_key(|pane| match pane {
            Pane::Details => 0,
            Pane::Found => 1,
            Pane::Table(view) => 2 + view,
        });
        panes.dedup();
        assert_eq!(panes.len(), 2 + VIEWS.len());
        assert!(panes.iter().all(|&pane| Topic::of(pane).tabs.iter().any(|tab| tab.pane == pane)));
    }
}
