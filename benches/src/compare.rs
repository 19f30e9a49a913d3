//! Prints figures line by line: times and memory of each measurement, ratios to the baselines, memory against
//! its goals, and how time grows with size. Must not know how anything was measured.

use std::time::Duration;

use super::child::Sample;
use super::measure::Times;

const MB: f64 = 1e6;

/// Several runs of one measurement.
pub struct Runs {
    /// What was measured.
    pub name: String,
    samples: Vec<Sample>,
}

impl Runs {
    /// No runs yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), samples: Vec::new() }
    }

    /// Adds a run.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// True while there is no run.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Wall times of the runs.
    pub fn times(&self) -> Times {
        self.samples.iter().map(Sample::wall).collect()
    }

    /// The largest value of a figure over the runs.
    pub fn most(&self, figure: &str) -> f64 {
        self.samples.iter().map(|sample| sample.get(figure)).fold(0.0, f64::max)
    }

    /// The smallest value of a figure over the runs.
    pub fn least(&self, figure: &str) -> f64 {
        self.samples.iter().map(|sample| sample.get(figure)).fold(f64::INFINITY, f64::min)
    }
}

/// The file that was measured.
pub struct Subject {
    /// The name that its lines of output begin with.
    pub label: String,
    /// Size on disk, bytes.
    pub size: f64,
    /// How many events it has.
    pub events: f64,
}

impl Subject {
    fn line(&self, what: &str, figures: &str) {
        println!("{:24} {what:21} {figures}", self.label);
    }

    /// Prints times, rates and memory of one measurement.
    pub fn work(&self, runs: &Runs) {
        let times = runs.times();
        let best = times.min().as_secs_f64();
        self.line(
            &runs.name,
            &format!(
                "{times}  {:7.1} MB/s  {:6.1} ns per event  cpu {:9.3} ms  peak {:7.1} MB",
                self.size / MB / best,
                best * 1e9 / self.events,
                runs.least("cpu") * 1e3,
                runs.most("peak") / MB,
            ),
        );
    }

    /// Prints the ratio of the time of `runs` to that of `baseline`, and whether it is at most `goal`, if
    /// there is a goal.
    pub fn ratio(&self, runs: &Runs, baseline: &Runs, goal: Option<f64>) {
        let (ours, theirs) = (runs.times(), baseline.times());
        let of = |ours: Duration, theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
        let (best, median) = (of(ours.min(), theirs.min()), of(ours.median(), theirs.median()));
        let (name, other, cpu) = (&runs.name, &baseline.name, runs.least("cpu") / baseline.least("cpu"));
        let goal = goal.map_or(String::new(), |goal| format!("; goal {goal:.1} {}", verdict(best, goal)));
        self.line(
            "ratio",
            &format!("{name} / {other}: best {best:.3}, median {median:.3}, processor time {cpu:.3}{goal}"),
        );
    }

    /// Prints the memory of our load against its goals.
    pub fn memory(&self, runs: &Runs) {
        for (what, figure, each, base) in [
            ("resident after load", "loaded", 40.0, 60.0),
            ("resident with index", "rss", 40.0, 60.0),
            ("peak", "peak", 64.0, 100.0),
        ] {
            let (bytes, goal) = (runs.most(figure), each * self.events + base * MB);
            self.line(
                what,
                &format!(
                    "{:9.1} MB  {:6.1} bytes per event; goal {each:.0} per event + {base:.0} MB = {:.1} MB {}",
                    bytes / MB,
                    bytes / self.events,
                    goal / MB,
                    verdict(bytes, goal)
                ),
            );
        }
        let (index, slices) = (runs.most("index"), runs.most("slices"));
        let each = index / slices;
        let verdict = verdict(each, 1.0);
        self.line("index", &format!("{:9.1} MB  {each:6.3} bytes per slice; goal 1 {verdict}", index / MB));
    }
}

fn verdict(figure: f64, goal: f64) -> &'static str {
    if figure <= goal { "(met)" } else { "(missed)" }
}

/// Prints how time grows with size, for files whose names differ in digits only.
pub fn slopes(mut done: Vec<(Subject, Duration)>) {
    let series = |subject: &Subject| subject.label.replace(|c: char| c.is_ascii_digit(), "");
    done.sort_by(|a, b| series(&a.0).cmp(&series(&b.0)).then(a.0.size.total_cmp(&b.0.size)));
    for pair in done.windows(2) {
        let [(less, short), (more, long)] = pair else { continue };
        let tens = (more.size / less.size).log10();
        if series(less) != series(more) || tens < 0.5 {
            continue;
        }
        let factor = long.as_secs_f64() / short.as_secs_f64();
        let each = factor.powf(1.0 / tens);
        let (from, verdict) = (&less.label, verdict(each, 10.5));
        more.line(
            "slope",
            &format!(
                "{:.2} times the bytes of {from}, {factor:.2} times the time: {each:.2} for ten times; goal 10.5 {verdict}",
                more.size / less.size
            ),
        );
    }
}
