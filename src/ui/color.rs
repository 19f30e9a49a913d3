//! The meaning that the colour of an event states: its category, or what the user chose instead.
//!
//! Costs O(log n) for an event. Must not know colours.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::app::State;
use crate::app::view::color::ColorBy;
use crate::app::view::timefmt;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_insight::analysis::ledger::Cause;
use proftui_trace::model::{Category, LaneKind, SliceFlags, SliceId};

use super::theme::Token;

/// The durations, ns, at which the colours of [`Token::HEAT`] change.
const DURATIONS: [i64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// The token whose colour a slice usually has, by what the user chose to colour by.
pub(super) fn token(state: &State, id: SliceId) -> Token {
    let trace = &state.session.trace;
    let chosen = match state.looks.color_by() {
        ColorBy::Category => None,
        ColorBy::Name => {
            let mut hasher = FxHasher::default();
            trace.name(id).as_str().hash(&mut hasher);
            Some(hue(hasher.finish() >> 32))
        }
        ColorBy::Duration => {
            let longest = DURATIONS.iter().position(|&most| trace.slices.dur[id] < most);
            Some(Token::HEAT[longest.unwrap_or(DURATIONS.len())])
        }
        ColorBy::Stream => Some(hue(u64::from(trace.lane_of(id).get()))),
        ColorBy::Step => Some(step(state, id).unwrap_or(Token::Gap)),
        ColorBy::Cause => cause(state, id),
    };
    chosen.unwrap_or_else(|| {
        // Both are read at once: in a large trace neither is in the processor's caches.
        let (flags, category) = (trace.slices.flags[id], trace.slices.category(id));
        Token::of(if flags.has(SliceFlags::COMMUNICATION) { Category::Communication } else { category })
    })
}

/// The colours of a line of the legend, of [`COLORS`](crate::app::command::COLORS), each with its meaning.
pub(super) fn legend(color_by: ColorBy, line: usize) -> Vec<(Token, String)> {
    let categories: [&[(Category, &str)]; 3] = [
        &[
            (Category::Kernel, "kernel"),
            (Category::Communication, "communication"),
            (Category::Memcpy, "copy, memset"),
            (Category::Synchronization, "synchronization"),
        ],
        &[
            (Category::Operator, "operator"),
            (Category::KernelLaunch, "call"),
            (Category::PythonFunction, "Python"),
            (Category::UserDefined, "range"),
            (Category::ProfileStep, "step"),
            (Category::Memory, "memory"),
        ],
        &[
            (Category::Dataloader, "data loading"),
            (Category::Forward, "forward"),
            (Category::Backward, "backward"),
            (Category::Optimization, "optimizer"),
            (Category::Overhead, "profiler"),
        ],
    ];
    let causes: [&[Cause]; 3] = [
        &[Cause::DataLoading, Cause::LaunchBound, Cause::HostPython],
        &[Cause::BlockingSync, Cause::BlockingCopy, Cause::Allocator, Cause::WaitsForStream],
        &[Cause::CpuOperator, Cause::LaunchDelay, Cause::NotRecorded, Cause::NotAttributable],
    ];
    match (color_by, line) {
        (ColorBy::Category, _) => {
            categories[line].iter().map(|&(category, name)| (Token::of(category), name.to_owned())).collect()
        }
        (ColorBy::Cause, _) => {
            causes[line].iter().map(|&cause| (Token::of_cause(cause), cause.title().to_owned())).collect()
        }
        (ColorBy::Duration, 0) => {
            let under = DURATIONS.iter().map(|&most| format!("under {}", fmt::duration(most)));
            Token::HEAT.into_iter().zip(under.chain(["longer".to_owned()])).collect()
        }
        (ColorBy::Name | ColorBy::Stream | ColorBy::Step, 0) => {
            let mut hues: Vec<(Token, String)> = Token::HUES.map(|token| (token, String::new())).to_vec();
            if let Some((_, meaning)) = hues.last_mut() {
                *meaning = format!("one colour for each {}; some share one", color_by.name());
            }
            hues
        }
        _ => Vec::new(),
    }
}

fn hue(number: u64) -> Token {
    Token::HUES[saturate::<usize>(number % Token::HUES.len() as u64)]
}

/// The colour of the step in which the slice, or its launch if that is known, starts; none outside of steps.
fn step(state: &State, id: SliceId) -> Option<Token> {
    let trace = &state.session.trace;
    let launch = trace.links.launch_of(id).unwrap_or(id);
    let worker = trace.groups[trace.lanes[trace.lane_of(launch)].group].worker;
    let step = timefmt::step_at(trace, worker, trace.slices.start[launch])?;
    Some(hue(step.serving.map_or(step.number, |serving| serving.kind as u64)))
}

/// The colour of the last cause of the device's idle time that ends where the slice starts; none without such
/// time or if the slice is on no stream.
fn cause(state: &State, id: SliceId) -> Option<Token> {
    let session = &state.session;
    let trace = &session.trace;
    let lane = trace.lane_of(id);
    if trace.lanes[lane].kind != LaneKind::Stream {
        return None;
    }
    let start = trace.slices.start[id];
    let idle = &session.ledger.device_of(trace, lane)?.idle;
    let before = idle.gap_at(start - 1).filter(|gap| gap.end == start)?;
    let last = idle.within(before).next_back()?;
    Some(Token::of_cause(Cause::from_u8(idle.piece(last).cause)))
}
