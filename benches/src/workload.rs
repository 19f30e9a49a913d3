//! Invents a training run step by step, in ns and independent of any format: operators nested up to 20 deep,
//! Python frames around them, launches, device work on three streams. The same seed gives the same run.

use super::names::CALLS;
use super::rng::Rng;

/// Deepest nesting of operators.
const DEPTH: u32 = 20;
/// Deepest nesting of modules; each is three Python frames, and a fourth around each operator that it calls.
const MODULE_DEPTH: u32 = 4;
/// Time of the first event, ns since the host's boot two months ago.
pub(super) const START: u64 = 5_312_345_678_901_123;

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Step,
    Range,
    Frame,
    Operator,
    Gradient,
    Memory,
    /// A runtime call.
    Call,
    Kernel,
    Collective,
    Copy,
}

/// One event. `name` is a number among the names of its kind, to be taken modulo how many names there are; of
/// a step it is the step's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub what: What,
    pub name: usize,
    pub start: u64,
    pub dur: u64,
    /// Thread 0 or 1 of the host, or stream 0, 1 or 2 of the device.
    pub lane: usize,
    /// Correlation number of a call and its device work; 0 for none.
    pub correlation: u64,
    /// True for a call that launches device work.
    pub launches: bool,
    /// Running number of the event.
    pub number: u64,
    /// Random bits for the arguments.
    pub bits: u64,
    /// Index of the enclosing event among the host's events of its step; the step's own index for the step.
    pub owner: usize,
}

/// The state of the run.
pub(super) struct Run {
    rng: Rng,
    now: u64,
    steps: usize,
    number: u64,
    correlation: u64,
    /// Time at which each stream is idle again, ns.
    free: [u64; 3],
    thread: usize,
    /// The innermost open event of the host.
    open: usize,
    host: Vec<Event>,
    device: Vec<Event>,
}

impl Run {
    pub(super) fn new(seed: u64) -> Self {
        let (rng, host, device) = (Rng(seed), Vec::new(), Vec::new());
        Self {
            rng,
            now: START,
            steps: 0,
            number: 0,
            correlation: 0,
            free: [START; 3],
            thread: 0,
            open: 0,
            host,
            device,
        }
    }

    /// Current time, ns.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Makes the next step.
    pub(super) fn step(&mut self) {
        self.host.clear();
        self.device.clear();
        self.around(What::Step, self.steps, |run| {
            run.around(What::Range, 0, |run| run.operator(0, What::Operator));
            run.around(What::Range, 1, |run| (0..3).for_each(|_| run.module(0)));
            run.thread = 1;
            run.around(What::Range, 2, |run| (0..30).for_each(|_| run.operator(0, What::Gradient)));
            run.thread = 0;
            run.around(What::Range, 3, |run| (0..10).for_each(|_| run.operator(0, What::Operator)));
            run.wait();
        });
        self.steps += 1;
        self.now += 20_000;
    }

    /// The step's events: the host's, outer ones first, and device work, each before the call that launches
    /// it.
    pub(super) fn parts(&self) -> (&[Event], &[Event]) {
        (&self.host, &self.device)
    }

    /// Adds an event that lasts as long as the events that `within` adds inside it.
    fn around(&mut self, what: What, name: usize, within: impl FnOnce(&mut Self)) {
        let (at, start) = (self.host.len(), self.now);
        let event = self.event(what, name, start, 0);
        self.host.push(event);
        let outer = std::mem::replace(&mut self.open, at);
        self.now += 200 + self.rng.below(2_000);
        within(self);
        self.open = outer;
        self.now += 100 + self.rng.below(500);
        self.host[at].dur = self.now - start;
    }

    fn event(&mut self, what: What, name: usize, start: u64, dur: u64) -> Event {
        self.number += 1;
        let (lane, owner, number, bits) = (self.thread, self.open, self.number, self.rng.number());
        Event { what, name, start, dur, lane, correlation: 0, launches: false, number, bits, owner }
    }

    /// Draws a name's number from a skewed distribution: few names are frequent, most are rare.
    fn name(&mut self) -> usize {
        (self.rng.below(200) * self.rng.below(200) / 200) as usize
    }

    /// Adds a module: Python frames around modules and operators.
    fn module(&mut self, depth: u32) {
        let name = 4 * self.name();
        self.around(What::Frame, name, |run| {
            run.around(What::Frame, name + 1, |run| {
                run.around(What::Frame, name + 2, |run| {
                    for _ in 0..2 {
                        if depth + 1 < MODULE_DEPTH {
                            run.module(depth + 1);
                        }
                        run.around(What::Frame, name + 3, |run| run.operator(0, What::Operator));
                    }
                });
            });
        });
    }

    fn operator(&mut self, depth: u32, what: What) {
        let name = self.name();
        self.around(what, name, |run| {
            let inner = [0, 0, 0, 0, 1, 1, 1, 1, 2, 3][run.rng.below(10) as usize];
            if depth + 1 < DEPTH && inner > 0 {
                (0..inner)
                    .for_each(|_| run.operator(depth + 1, if depth > 0 { What::Operator } else { what }));
                return;
            }
            match run.rng.below(10) {
                0..=5 => run.launch(),
                6..=8 => run.call(3 + name % 5, 300, 2_000, 0),
                _ => {}
            }
            if run.rng.below(3) > 0 {
                let instant = run.event(What::Memory, 0, run.now, 0);
                run.host.push(instant);
            }
        });
    }

    /// Adds a runtime call that takes `least` ns and up to `more` ns in addition.
    fn call(&mut self, name: usize, least: u64, more: u64, correlation: u64) {
        let dur = least + self.rng.below(more);
        let mut call = self.event(What::Call, name % CALLS.len(), self.now, dur);
        (call.correlation, call.launches) = (correlation, correlation != 0);
        if correlation == 0 {
            self.correlation += 1;
            call.correlation = self.correlation;
        }
        self.device.push(call);
        self.now += dur;
    }

    /// Adds a launching call and its device work.
    fn launch(&mut self) {
        let (what, call, name, stream, long) = match self.rng.below(20) {
            0 => (What::Copy, 1, 0, 2, 60_000),
            1 => (What::Copy, 1, 1, 0, 20_000),
            2 => (What::Copy, 2, 2, 0, 2_000),
            3 => (What::Collective, 0, self.name(), 1, 90_000),
            _ => (What::Kernel, 0, self.name(), 0, 9_000),
        };
        let dur = 900 + self.rng.below(long);
        let start = self.free[stream].max(self.now + 4_000 + self.rng.below(4_000));
        self.free[stream] = start + dur + 400;
        self.correlation += 1;
        let correlation = self.correlation;
        let work = Event { lane: stream, correlation, ..self.event(what, name, start, dur) };
        self.device.push(work);
        self.call(call, 2_500, 6_000, correlation);
    }

    /// Adds a call that waits for the device.
    fn wait(&mut self) {
        let idle = self.free.iter().max().map_or(0, |free| free.saturating_sub(self.now));
        self.call(CALLS.len() - 1, idle + 1, 2_000, 0);
    }
}
