//! Writes a trace as JSON in the form of PyTorch's profiler (Kineto), whatever it was read from, so that the
//! tools for such traces open it: HTA, the plugin of `TensorBoard`, Perfetto.
//!
//! A trace does not hold the arguments of its events. So the caller reads the events at [`Kineto::ends`]
//! again and passes them to [`Kineto::end`], then those at [`Kineto::origins`] to [`Kineto::event`];
//! [`Kineto::finish`] writes the rest. Categories of Paddle's profiler, which Kineto lacks, become Kineto's
//! nearest, with the file's own in the member [`OWN_CATEGORY`], which our reader takes instead of `cat`. Must
//! not know how a trace is read.
//!
//! - `again` is what is asked of an event that was read again.
//! - `anonymous` hides names and arguments that are of the program.
//! - `arguments` writes an event's arguments under Kineto's keys.
//! - `arrows` writes links and flows.
//! - `category` has Kineto's category for each of Paddle's.
//! - `excerpt` is the part of a trace that is written.
//! - `header` writes the members around the events.
//! - `lanes` writes processes and threads: their numbers, and the events that name them.
//! - `text` formats JSON.

mod again;
mod anonymous;
mod arguments;
mod arrows;
pub(super) mod category;
mod excerpt;
mod header;
mod lanes;
mod text;

use std::collections::BTreeMap;
use std::io::Write;

use rustc_hash::FxHashMap;

use super::ExportError;
use crate::model::counter::CounterUnit;
use crate::model::{LaneId, LaneKind, Origin, SliceId, Trace};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

pub use again::{ReadAgain, TakeArgument};
use anonymous::Anonymous;
use arguments::Arguments;
pub use category::nearest as nearest_category;
pub use excerpt::Excerpt;
use lanes::Lanes;
use text::{Micros, json};

/// The member of an event that has its category in the file that was converted, where Kineto has no such
/// category.
pub const OWN_CATEGORY: &str = "proftui";

/// Length of the gathered text, bytes, beyond which it is written out.
const BLOCK: usize = 64 << 10;

/// What of a trace an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Slice(SliceId),
    /// An index into `Trace::instants`.
    Instant(usize),
    /// An index into `Trace::memory`.
    Memory(usize),
}

/// Writes one trace in Kineto's form.
pub struct Kineto<'a> {
    trace: &'a Trace,
    /// The part that is written; `None` for the whole trace.
    excerpt: Option<Excerpt>,
    /// Hides names and arguments; `None` to write them as they are.
    anonymous: Option<Anonymous>,
    to: &'a mut dyn Write,
    /// Formatted events that are not written yet.
    text: String,
    is_first: bool,
    /// The first error of writing; nothing is written after it.
    error: Option<std::io::Error>,
    lanes: Lanes,
    /// What is subtracted from times, ns.
    zero: Ns,
    items: Vec<Item>,
    origins: Vec<Origin>,
    /// The items that were written, by index.
    is_written: Vec<bool>,
    /// The end events that are to be read, each with its slice.
    end_events: Vec<(SliceId, Origin)>,
    /// The arguments of end events, as JSON without the braces.
    ends: FxHashMap<SliceId, String>,
    /// Names as JSON, by the number of the string; empty until one is needed.
    names: Vec<String>,
    /// True if links without a correlation number get one.
    has_numbers: bool,
    /// Number of the operator events as `External id`, where the file states one.
    external: FxHashMap<SliceId, String>,
}

impl<'a> Kineto<'a> {
    /// Writes the header and the names of processes and threads. Of the events only those of the part are
    /// written; `None` for all. If `is_anonymous`, names of files, hosts, users and of the program's own code
    /// are left out or become numbers, and times count from the first event.
    ///
    /// # Errors
    /// When writing to `to` fails.
    pub fn new(
        trace: &'a Trace,
        excerpt: Option<Excerpt>,
        is_anonymous: bool,
        to: &'a mut dyn Write,
    ) -> Result<Self, ExportError> {
        let (head, zero) = header::of(trace, excerpt.as_ref().map(Excerpt::entry), is_anonymous);
        let has = |id: SliceId| excerpt.as_ref().is_none_or(|excerpt| excerpt.has(id));
        let has_moment =
            |lane: LaneId, at: Ns| excerpt.as_ref().is_none_or(|excerpt| excerpt.has_moment(lane, at));
        to.write_all(head.as_bytes())?;
        let mut items = Vec::new();
        let mut origins = Vec::new();
        let mut add = |item, origin| {
            items.push(item);
            origins.push(origin);
        };
        let slices = trace.slices.ids().iter().filter(|&id| has(id));
        slices.for_each(|id| add(Item::Slice(id), trace.slices.origin[id]));
        let instants = (0..).zip(&trace.instants).filter(|(_, instant)| has_moment(instant.lane, instant.ts));
        instants.for_each(|(at, instant)| add(Item::Instant(at), instant.origin));
        let memory = (0..).zip(&trace.memory).filter(|(_, memory)| has_moment(memory.lane, memory.ts));
        memory.for_each(|(at, memory)| add(Item::Memory(at), memory.origin));
        let end_events = trace.ends.iter().copied().filter(|&(id, _)| has(id)).collect();
        let mut writer = Self {
            trace,
            excerpt,
            anonymous: is_anonymous.then(Anonymous::default),
            end_events,
            to,
            text: String::with_capacity(2 * BLOCK),
            is_first: true,
            error: None,
            lanes: Lanes::of(trace),
            zero,
            is_written: vec![false; items.len()],
            items,
            origins,
            ends: FxHashMap::default(),
            names: Vec::new(),
            has_numbers: arrows::may_have_numbers(trace),
            external: FxHashMap::default(),
        };
        for row in writer.lanes.metadata(trace, is_anonymous) {
            writer.begin();
            writer.text.push_str(&row);
            writer.flush_block();
        }
        Ok(writer)
    }

    /// Where the end events are in the files that are to be read again first.
    pub fn ends(&self) -> Vec<Origin> {
        self.end_events.iter().map(|&(_, origin)| origin).collect()
    }

    /// Takes the end event with the index `at` in [`Self::ends`], which was read again.
    pub fn end(&mut self, at: usize, read: &dyn ReadAgain) {
        if let Some(&(id, _)) = self.end_events.get(at) {
            let mut arguments = Arguments::new(true, self.anonymous.is_some());
            arguments.add_all(read);
            self.ends.insert(id, arguments.into_text());
        }
    }

    /// Where the events are in the files that are to be read again.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// Writes the event with the index `at` in [`Self::origins`], which was read again. An error of writing
    /// is returned by [`Self::finish`].
    pub fn event(&mut self, at: usize, read: &dyn ReadAgain) {
        if let Some(is_written) = self.is_written.get_mut(at) {
            *is_written = true;
            self.item(self.items[at], Some(read));
        }
    }

    /// Writes the events that could not be read again, without arguments, then links, flows and counters, and
    /// ends the document.
    ///
    /// # Errors
    /// When writing failed.
    pub fn finish(mut self) -> Result<(), ExportError> {
        for at in 0..self.items.len() {
            if !self.is_written[at] {
                self.item(self.items[at], None);
            }
        }
        let trace = self.trace;
        let excerpt = self.excerpt.take();
        let has = |id| excerpt.as_ref().is_none_or(|excerpt| excerpt.has(id));
        arrows::all(trace, has, |event_type, name, number, slice| {
            self.arrow(event_type, name, number, slice);
        });
        self.excerpt = excerpt;
        self.counters();
        self.text.push_str("\n]}\n");
        self.flush();
        self.error.map_or(Ok(()), |error| Err(error.into()))
    }

    fn item(&mut self, item: Item, read: Option<&dyn ReadAgain>) {
        match item {
            Item::Slice(id) => self.slice(id, read),
            Item::Instant(at) => self.instant(at, read),
            Item::Memory(at) => self.memory(at, read),
        }
        self.flush_block();
    }

    /// Appends a comma and a line break, unless the next event is the first.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push_str(",\n");
        }
    }

    /// Writes out the gathered text once it is longer than [`BLOCK`].
    fn flush_block(&mut self) {
        if self.text.len() > BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.to.write_all(self.text.as_bytes()).err();
        }
        self.text.clear();
    }

    /// A time of the trace as it is written.
    fn time(&self, ns: Ns) -> Micros {
        Micros(ns.saturating_sub(self.zero))
    }

    /// A string of the trace as JSON, with its quotes.
    fn name(&mut self, id: StrId) -> &str {
        let at = id.index();
        if self.names.len() <= at {
            self.names.resize(at + 1, String::new());
        }
        if self.names[at].is_empty() {
            self.names[at] = json(self.trace.strings.bytes(id));
        }
        &self.names[at]
    }

    /// A name as JSON, with its quotes: a number if names are hidden.
    fn numbered(&mut self, kind: &'static str, name: StrId) -> String {
        match &mut self.anonymous {
            Some(anonymous) => json(anonymous.number(kind, name).as_bytes()),
            None => self.name(name).to_owned(),
        }
    }

    /// The category that the file has for an event, unless it is the program's own and hidden.
    fn category(&self, read: Option<&dyn ReadAgain>, kind: LaneKind) -> Option<String> {
        let raw = read.and_then(ReadAgain::category);
        if self.anonymous.is_some() { anonymous::category(raw, kind) } else { raw }
    }

    /// Appends the beginning of an event: its type, category, name and lane.
    fn open(&mut self, event_type: char, category: &category::Category, name: &str, lane: (&str, &str)) {
        self.begin();
        text::push(&mut self.text, format_args!("{{\"ph\":\"{event_type}\""));
        if let Some(cat) = &category.kineto {
            text::push(&mut self.text, format_args!(",\"cat\":{}", json(cat.as_bytes())));
        }
        if let Some(own) = &category.own {
            text::push(&mut self.text, format_args!(",\"{OWN_CATEGORY}\":{}", json(own.as_bytes())));
        }
        let (pid, tid) = lane;
        text::push(&mut self.text, format_args!(",\"name\":{name},\"pid\":{pid},\"tid\":{tid}"));
    }

    fn slice(&mut self, id: SliceId, read: Option<&dyn ReadAgain>) {
        let trace = self.trace;
        let lane = trace.lane_of(id);
        let (start, dur) = (trace.slices.start[id], trace.slices.dur[id]);
        let kind = trace.lanes[lane].kind;
        let raw = self.category(read, kind);
        let has_category = raw.is_some();
        let mut category = category::of(raw, trace.slices.category(id), kind);
        let name = match &mut self.anonymous {
            Some(anonymous) => {
                let name = json(anonymous.slice(trace, id).as_bytes());
                if name != json(trace.strings.bytes(trace.slices.name[id])) {
                    category.keep(trace.slices.category(id));
                }
                name
            }
            None => self.name(trace.slices.name[id]).to_owned(),
        };
        let name = category.step_name(&name);
        let (pid, tid) = self.lanes.get(lane);
        let launch = self.launch(id);
        let is_joined_by_arrows = self.has_numbers && launch.is_some() && trace.slices.correlation[id] == 0;
        let is_foreign = category.own.is_some() || !has_category || is_joined_by_arrows;
        let mut arguments = Arguments::new(is_foreign, self.anonymous.is_some());
        read.into_iter().for_each(|read| arguments.add_all(read));
        self.ends.remove(&id).iter().for_each(|end| arguments.append(end));
        if is_foreign {
            self.external_id(id, &mut arguments);
            if let Some(launch) = launch.filter(|_| is_joined_by_arrows) {
                arguments.push_new("correlation", &arrows::number(launch).to_string());
            }
            if trace.slices.category(id).is_device_work() {
                arguments.push_new("device", &pid);
                arguments.push_new("stream", &tid);
            }
        }
        let arguments = arguments.into_text();
        let (ts, dur) = (self.time(start), Micros(dur));
        if kind == LaneKind::Async {
            // What is within another one has the same number.
            let number = trace.slices.ancestors(id).last().unwrap_or(id).get();
            self.open('b', &category, &name, (&pid, &tid));
            text::push(
                &mut self.text,
                format_args!(",\"id\":{number},\"ts\":{ts},\"args\":{{{arguments}}}}}"),
            );
            let end = self.time(trace.slices.end(id));
            self.open('e', &category, &name, (&pid, &tid));
            text::push(&mut self.text, format_args!(",\"id\":{number},\"ts\":{end}}}"));
            return;
        }
        self.open('X', &category, &name, (&pid, &tid));
        text::push(&mut self.text, format_args!(",\"ts\":{ts},\"dur\":{dur},\"args\":{{{arguments}}}}}"));
    }

    /// Adds the number by which tools join calls and device work with the operator around them, unless the
    /// file states it.
    fn external_id(&mut self, id: SliceId, arguments: &mut Arguments) {
        let slices = &self.trace.slices;
        if let Some(stated) = arguments.external_id() {
            if slices.category(id).is_operator() {
                self.external.insert(id, stated.to_owned());
            }
            return;
        }
        let category = slices.category(id);
        let operator = if category.is_device_work() {
            self.trace.links.launch_of(id).and_then(|launch| self.trace.operator_of(launch))
        } else if category.is_runtime() || category.is_operator() {
            self.trace.operator_of(id)
        } else {
            None
        };
        if let Some(operator) = operator {
            let number = operator.get() + 1;
            match self.external.get(&operator) {
                Some(stated) => arguments.push("External id", stated),
                None => arguments.push("External id", &number.to_string()),
            }
        }
    }

    /// The launch of device work, or the slice itself if it launched any; `None` for other slices.
    fn launch(&self, id: SliceId) -> Option<SliceId> {
        let links = &self.trace.links;
        links.launch_of(id).or_else(|| links.work_of(id).next().map(|_| id))
    }

    fn instant(&mut self, at: usize, read: Option<&dyn ReadAgain>) {
        let instant = self.trace.instants[at];
        let lane = &self.trace.lanes[instant.lane];
        let (is_async, kind) = (lane.kind == LaneKind::Async, lane.kind);
        let raw = self.category(read, kind);
        let category = category::of(raw, crate::model::Category::Other, kind);
        let name = self.numbered("instant", instant.name);
        let (pid, tid) = self.lanes.get(instant.lane);
        let mut arguments = Arguments::new(category.own.is_some(), self.anonymous.is_some());
        read.into_iter().for_each(|read| arguments.add_all(read));
        let (arguments, ts) = (arguments.into_text(), self.time(instant.ts));
        self.open(if is_async { 'n' } else { 'i' }, &category, &name, (&pid, &tid));
        let more = if is_async { format!("\"id\":\"i{at}\"") } else { "\"s\":\"t\"".to_owned() };
        text::push(&mut self.text, format_args!(",\"ts\":{ts},{more},\"args\":{{{arguments}}}}}"));
    }

    fn memory(&mut self, at: usize, read: Option<&dyn ReadAgain>) {
        let memory = self.trace.memory[at];
        let category = category::of_memory(read.and_then(ReadAgain::category).as_deref(), memory.kind);
        let (pid, tid) = self.lanes.get(memory.lane);
        let mut arguments = Arguments::new(category.own.is_some(), self.anonymous.is_some());
        read.into_iter().for_each(|read| arguments.add_all(read));
        if category.own.is_some() || read.is_none() {
            arguments.memory(&memory, self.trace);
        }
        let (arguments, ts) = (arguments.into_text(), self.time(memory.ts));
        self.open('i', &category, "\"[memory]\"", (&pid, &tid));
        text::push(&mut self.text, format_args!(",\"ts\":{ts},\"s\":\"t\",\"args\":{{{arguments}}}}}"));
    }

    /// Writes one end of an arrow, at the start of `slice`.
    fn arrow(&mut self, event_type: char, name: &str, number: u64, slice: SliceId) {
        let (pid, tid) = self.lanes.get(self.trace.lane_of(slice));
        let ts = self.time(self.trace.slices.start[slice]);
        let more = if event_type == 'f' { ",\"bp\":\"e\"" } else { "" };
        self.begin();
        text::push(
            &mut self.text,
            format_args!(
                "{{\"ph\":\"{event_type}\",\"cat\":\"{name}\",\"name\":\"{name}\",\"id\":{number},\
                 \"pid\":{pid},\"tid\":{tid},\"ts\":{ts}{more}}}"
            ),
        );
        self.flush_block();
    }

    /// Writes the samples of all counters.
    fn counters(&mut self) {
        let trace = self.trace;
        let lanes: BTreeMap<u32, _> =
            trace.lanes.iter_with_ids().filter_map(|(id, lane)| Some((lane.counter?, id))).collect();
        for (number, lane) in lanes {
            let Some(counter) = trace.counters.get(number as usize) else { continue };
            // Those of memory come from the memory events.
            if counter.unit == CounterUnit::Bytes {
                continue;
            }
            let (pid, _) = self.lanes.get(lane);
            let name = self.numbered("counter", counter.name);
            let series = self.numbered("series", counter.series);
            let whole = 0..counter.ts.len();
            let samples = self.excerpt.as_ref().map_or(whole, |excerpt| excerpt.samples(lane, &counter.ts));
            for (&ts, value) in counter.ts[samples.clone()].iter().zip(&counter.value[samples]) {
                let ts = self.time(ts);
                self.begin();
                text::push(
                    &mut self.text,
                    format_args!(
                        "{{\"ph\":\"C\",\"name\":{name},\"pid\":{pid},\"tid\":0,\"ts\":{ts},\
                         \"args\":{{{series}:{value}}}}}"
                    ),
                );
                self.flush_block();
            }
        }
    }
}
