//! Jobs: work that may take too long for the thread that draws, each with an estimate of its cost. What costs
//! little is done at once; the rest on another thread, while keys are answered.
//!
//! A job holds all its inputs, and the result holds the job, so that an outdated result can be recognized. Of
//! each kind one job runs at a time; it is cancelled when another one is wanted, except a job that reads an
//! event, which runs to its end. Must not know threads: whoever runs the explorer runs a job on any thread
//! and sends the result back as a message.

use std::time::Duration;

use proftui_base::cancel::{self, Token};

use crate::app::finding::search::{NamesFound, NamesJob, SearchFound, SearchJob};
use crate::app::pane::arrange_job::{ArrangeJob, Arranged};
use crate::app::pane::group_list::{ListJob, Listed};
use crate::app::pane::read_job::{EventRead, ReadJob};
use crate::app::pane::summary_job::{Summary, SummaryJob};
use crate::app::run::Run;
use crate::app::session::renumber::{RenumberJob, Renumbered};
use crate::app::view::minimap::{Minimap, MinimapJob};

/// The highest estimated cost of a job that is done at once, on the thread that draws, ns.
const AT_ONCE: u64 = 10_000_000;

/// A kind of job; of each kind at most one job at a time runs on another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Making a summary.
    Summary,
    /// Arranging the rows of a summary.
    Arrange,
    /// Finding the groups and lanes of a session in another session of the same files.
    Renumber,
    /// Listing what summaries can cover.
    List,
    /// Reading an event again, or finding what a thread did while a device was idle.
    Event,
    /// Computing the minimap.
    Minimap,
    /// Finding the names that match what is typed in the search prompt, and usually counting matching events.
    Names,
    /// Finding the events that match a search.
    Search,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Summary,
        Self::Arrange,
        Self::Renumber,
        Self::List,
        Self::Event,
        Self::Minimap,
        Self::Names,
        Self::Search,
    ];

    /// True for a kind whose jobs may show how far they are while they run.
    pub fn has_progress(self) -> bool {
        self == Self::Search
    }

    /// How long drawing the screen waits at most for a job of this kind: 100 ms for [`Self::Event`], 30 ms
    /// for others.
    pub fn patience(self) -> Duration {
        Duration::from_millis(if self == Self::Event { 100 } else { 30 })
    }
}

/// A job of any kind.
#[derive(Clone, Debug)]
pub enum Work {
    /// Making a summary.
    Summary(SummaryJob),
    /// Arranging the rows of a summary.
    Arrange(ArrangeJob),
    /// Finding the groups and lanes of a session in another session of the same files.
    Renumber(RenumberJob),
    /// Listing what summaries can cover.
    List(ListJob),
    /// Reading an event again, or finding what a thread did while a device was idle.
    Event(ReadJob),
    /// Computing the minimap.
    Minimap(MinimapJob),
    /// Finding the names that match what is typed in the search prompt, and usually counting matching events.
    Names(NamesJob),
    /// Finding the events that match a search.
    Search(SearchJob),
}

impl From<SummaryJob> for Work {
    fn from(job: SummaryJob) -> Self {
        Self::Summary(job)
    }
}

impl From<ArrangeJob> for Work {
    fn from(job: ArrangeJob) -> Self {
        Self::Arrange(job)
    }
}

impl From<RenumberJob> for Work {
    fn from(job: RenumberJob) -> Self {
        Self::Renumber(job)
    }
}

impl From<ListJob> for Work {
    fn from(job: ListJob) -> Self {
        Self::List(job)
    }
}

impl From<ReadJob> for Work {
    fn from(job: ReadJob) -> Self {
        Self::Event(job)
    }
}

impl From<MinimapJob> for Work {
    fn from(job: MinimapJob) -> Self {
        Self::Minimap(job)
    }
}

impl From<NamesJob> for Work {
    fn from(job: NamesJob) -> Self {
        Self::Names(job)
    }
}

impl From<SearchJob> for Work {
    fn from(job: SearchJob) -> Self {
        Self::Search(job)
    }
}

/// A job to run on another thread.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is to be done.
    pub work: Work,
    token: Token,
}

/// The result of a job.
#[derive(Debug)]
pub enum Done {
    /// A summary was made.
    Summary(Box<Summary>),
    /// Rows were arranged.
    Arranged(Arranged),
    /// The groups and lanes of a session were found in another session of the same files.
    Renumbered(Renumbered),
    /// What summaries can cover was listed.
    List(Listed),
    /// An event was read, or could not be read, or what a thread did was found.
    Event(EventRead),
    /// A minimap was computed.
    Minimap(Minimap),
    /// The names that match what is typed in the search prompt were found, or the text cannot be searched
    /// for.
    Names(NamesFound),
    /// The events that match a search were found, or a file could not be read for them.
    Search(Box<SearchFound>),
}

/// The end of a job.
#[derive(Debug)]
pub struct Ended {
    pub(crate) kind: Kind,
    token: Token,
    /// The result; an error if the job failed, or noticed that it was cancelled, with the reason if the user
    /// is to read one.
    pub(crate) result: Result<Done, Option<String>>,
}

impl Work {
    fn kind(&self) -> Kind {
        match self {
            Self::Summary(_) => Kind::Summary,
            Self::Arrange(_) => Kind::Arrange,
            Self::Renumber(_) => Kind::Renumber,
            Self::List(_) => Kind::List,
            Self::Event(_) => Kind::Event,
            Self::Minimap(_) => Kind::Minimap,
            Self::Names(_) => Kind::Names,
            Self::Search(_) => Kind::Search,
        }
    }

    fn run(self) -> Done {
        match self {
            Self::Summary(job) => Done::Summary(Box::new(job.run())),
            Self::Arrange(job) => Done::Arranged(job.run()),
            Self::Renumber(job) => Done::Renumbered(job.run()),
            Self::List(job) => Done::List(job.run()),
            Self::Event(job) => Done::Event(job.run()),
            Self::Minimap(job) => Done::Minimap(job.run()),
            Self::Names(job) => Done::Names(job.run()),
            Self::Search(job) => Done::Search(Box::new(job.run())),
        }
    }
}

impl Job {
    /// A job that no slot knows.
    #[cfg(test)]
    pub(crate) fn new(job: impl Into<Work>) -> Self {
        Self { work: job.into(), token: Token::new() }
    }

    /// The job's kind.
    pub fn kind(&self) -> Kind {
        self.work.kind()
    }

    /// The end of the job without a result; `why` is the reason for the user to read, none if there is
    /// nothing to read.
    pub fn failed(&self, why: Option<String>) -> Ended {
        Ended { kind: self.kind(), token: self.token.clone(), result: Err(why) }
    }

    /// Does the job on the calling thread, which may take long. The end has no result if the job noticed that
    /// it was cancelled.
    pub fn run(self) -> Ended {
        let Self { work, token } = self;
        let kind = work.kind();
        let result = cancel::run(&token, || work.run()).map_err(|_| None);
        Ended { kind, token, result }
    }
}

/// The job of one kind that runs, and the one that is wanted next.
#[derive(Debug)]
pub(crate) struct Slot<J> {
    wanted: Option<J>,
    running: Option<Running<J>>,
    /// True if the job that ended last outlasted the patience of its kind, or was cancelled.
    was_slow: bool,
}

#[derive(Debug)]
struct Running<J> {
    job: J,
    token: Token,
    is_slow: bool,
}

impl<J> Default for Slot<J> {
    fn default() -> Self {
        Self { wanted: None, running: None, was_slow: false }
    }
}

impl<J: Run + Into<Work>> Slot<J> {
    /// Forgets other jobs of the kind. Does `job` now if it costs at most [`AT_ONCE`], and returns its
    /// result; else leaves it to another thread, unless the same job runs there.
    pub(crate) fn start(&mut self, job: J) -> Option<J::Done> {
        let is_cheap = job.cost() <= AT_ONCE;
        let is_running = self.running().is_some_and(|running| running.is_same(&job));
        if !is_running || is_cheap {
            self.forget();
        }
        if is_cheap {
            return Some(job.run());
        }
        self.wanted = (!is_running).then_some(job);
        None
    }

    /// Wants no job of the kind any more; cancels the one that runs, if jobs of the kind can be cancelled
    /// ([`Run::IS_CANCELLED`]).
    pub(crate) fn forget(&mut self) {
        self.wanted = None;
        if let Some(running) = self.running.as_ref().filter(|_| J::IS_CANCELLED) {
            running.token.cancel();
        }
    }

    /// The job that is to run next, else the one that runs and was not cancelled; none if there is neither.
    pub(crate) fn current(&self) -> Option<&J> {
        self.wanted.as_ref().or_else(|| self.running())
    }

    /// The job that runs; none if none does, or it was cancelled.
    fn running(&self) -> Option<&J> {
        self.running.as_ref().filter(|running| !running.token.is_cancelled()).map(|running| &running.job)
    }

    /// True while a job runs that has outlasted the patience of its kind.
    pub(crate) fn is_slow(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_slow)
    }

    /// Notes that the job that runs has outlasted the patience of its kind; false if none runs.
    fn mark_slow(&mut self) -> bool {
        self.running.as_mut().map(|running| running.is_slow = true).is_some()
    }

    /// Notes that the job with this token has ended; false if its result is not wanted any more: the job was
    /// cancelled, or is not the one that runs.
    fn end(&mut self, token: &Token) -> bool {
        let Some(ended) = self.running.take_if(|running| running.token.is_same(token)) else { return false };
        let is_cancelled = ended.token.is_cancelled();
        self.was_slow = ended.is_slow || is_cancelled;
        !is_cancelled
    }

    /// Takes the job to start now, and whether drawing the screen is to wait for it; `None` if a job still
    /// runs, or none is wanted.
    fn next(&mut self) -> Option<(Job, bool)> {
        if self.running.is_some() {
            return None;
        }
        let (job, token) = (self.wanted.take()?, Token::new());
        self.running = Some(Running { job: job.clone(), token: token.clone(), is_slow: false });
        Some((Job { work: job.into(), token }, !self.was_slow))
    }
}

/// The jobs of all kinds.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub(crate) summary: Slot<SummaryJob>,
    pub(crate) arrange: Slot<ArrangeJob>,
    pub(crate) renumber: Slot<RenumberJob>,
    pub(crate) list: Slot<ListJob>,
    pub(crate) event: Slot<ReadJob>,
    pub(crate) minimap: Slot<MinimapJob>,
    pub(crate) names: Slot<NamesJob>,
    pub(crate) search: Slot<SearchJob>,
}

impl Slots {
    /// Takes the jobs to start now, at most one of each kind, each with whether drawing the screen is to wait
    /// for it.
    pub(crate) fn next(&mut self) -> impl Iterator<Item = (Job, bool)> {
        let first = [self.summary.next(), self.arrange.next(), self.renumber.next(), self.list.next()];
        let others = [self.event.next(), self.minimap.next(), self.names.next(), self.search.next()];
        first.into_iter().chain(others).flatten()
    }

    /// Notes that the job of this kind has outlasted its patience; false if none runs.
    pub(crate) fn mark_slow(&mut self, kind: Kind) -> bool {
        match kind {
            Kind::Summary => self.summary.mark_slow(),
            Kind::Arrange => self.arrange.mark_slow(),
            Kind::Renumber => self.renumber.mark_slow(),
            Kind::List => self.list.mark_slow(),
            Kind::Event => self.event.mark_slow(),
            Kind::Minimap => self.minimap.mark_slow(),
            Kind::Names => self.names.mark_slow(),
            Kind::Search => self.search.mark_slow(),
        }
    }

    /// Notes that a job has ended; false if its result is not wanted any more.
    pub(crate) fn end(&mut self, ended: &Ended) -> bool {
        let token = &ended.token;
        match ended.kind {
            Kind::Summary => self.summary.end(token),
            Kind::Arrange => self.arrange.end(token),
            Kind::Renumber => self.renumber.end(token),
            Kind::List => self.list.end(token),
            Kind::Event => self.event.end(token),
            Kind::Minimap => self.minimap.end(token),
            Kind::Names => self.names.end(token),
            Kind::Search => self.search.end(token),
        }
    }

    /// Wants no job any more; cancels those that run, except one of [`Kind::Event`].
    pub(crate) fn forget(&mut self) {
        self.summary.forget();
        self.arrange.forget();
        self.renumber.forget();
        self.list.forget();
        self.event.forget();
        self.minimap.forget();
        self.names.forget();
        self.search.forget();
    }
}
