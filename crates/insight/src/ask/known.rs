//! Arguments of events that were read for one answer, and serve the next.
//!
//! Must not know which views need them.

use std::sync::Arc;

use proftui_base::dispose::Disposed;
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::Trace;

use crate::analysis::{Arguments, Needs, Scope};

/// The most slices that a trace may have for the arguments of events to be read for the whole trace instead
/// of one scope.
const WHOLE_SLICES: usize = 5_000_000;

/// The least number of slices of a trace whose arguments of events are freed on another thread.
const DISPOSED_SLICES: usize = 10_000;

/// Arguments of events that were read from the files, with their kinds and scope.
#[derive(Clone, Debug)]
pub struct Known {
    needs: Needs,
    scope: Scope,
    arguments: Arc<Disposed<Arguments>>,
}

impl Known {
    /// Returns at least the arguments that `needs` names for `scope`, or with `is_whole` for the whole trace
    /// unless that is large. Reads them from the files unless `known` has them.
    pub(super) fn read(
        trace: &Trace,
        texts: &Texts,
        scope: &Scope,
        needs: Needs,
        known: Option<Self>,
        is_whole: bool,
    ) -> Result<Self, VisitError> {
        let is_small = trace.slices.len() <= WHOLE_SLICES;
        let scope = if is_whole && is_small { Scope::default() } else { scope.clone() };
        Self::read_within(trace, texts, scope, needs, known)
    }

    /// Returns at least the arguments that `needs` names for `scope`, read from the files unless `known` has
    /// them.
    fn read_within(
        trace: &Trace,
        texts: &Texts,
        scope: Scope,
        needs: Needs,
        known: Option<Self>,
    ) -> Result<Self, VisitError> {
        let known = known.filter(|known| known.scope.contains(&scope));
        let nothing = Self { needs: Needs::NOTHING, scope, arguments: Arc::default() };
        let Self { needs: before, scope, arguments } = known.unwrap_or(nothing);
        let arguments = Arguments::clone(&arguments).and_read(trace, texts, &scope, needs.without(before))?;
        let is_large = trace.slices.len() >= DISPOSED_SLICES;
        Ok(Self { needs: before.and(needs), scope, arguments: Arc::new(Disposed::new(arguments, is_large)) })
    }

    /// True if all arguments that `needs` names were read for all events in `scope`.
    pub fn suffice(&self, needs: Needs, scope: &Scope) -> bool {
        self.needs.covers(needs) && self.scope.contains(scope)
    }

    /// The arguments that were read.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }
}

#[cfg(test)]
mod tests {
    use proftui_base::time::Span;
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    #[test]
    fn of_a_trace_that_is_too_large_the_scope_is_kept() {
        let event = r#"[{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,"dur":5}]"#;
        let loaded = load_bytes(event.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let (trace, texts) = (&loaded.trace, &loaded.texts);
        let scope = |start, end| Scope { span: Some(Span { start, end }), ..Scope::default() };
        let shapes = Needs { shapes: true, ..Needs::NOTHING };
        let configs = Needs { launch_configs: true, ..Needs::NOTHING };
        let within = |start, end, needs, known| {
            Known::read_within(trace, texts, scope(start, end), needs, known).expect("reads")
        };
        let first = within(0, 100, shapes, None);
        assert!(!first.suffice(shapes, &Scope::default()) && !first.suffice(configs, &scope(0, 100)));
        // Arguments of another kind join those of a scope that contains theirs; those of other scopes are
        // dropped.
        let both = within(10, 50, configs, Some(first));
        assert!(both.suffice(shapes.and(configs), &scope(0, 100)));
        let other = within(50, 200, configs, Some(both));
        assert!(other.suffice(configs, &scope(50, 200)) && !other.suffice(shapes, &scope(50, 100)));
        // A small trace is read whole.
        let whole = Known::read(trace, texts, &scope(0, 1), shapes, None, true).expect("reads");
        assert!(whole.suffice(shapes, &Scope::default()));
    }
}
