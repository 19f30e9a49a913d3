//! The GPU profilers that a captured script has made itself, as its process reports them: when each ran, and
//! whether its file has come or can come no more. Must not know files, nor cycles.

use std::collections::BTreeMap;

/// The runs of a script's own GPU profilers in one process, by their numbers.
#[derive(Debug, Default)]
pub struct OwnProfilers(BTreeMap<u64, Run>);

/// One run of a profiler: when it ran, and what is known of the file that it writes.
#[derive(Debug)]
struct Run {
    profiler: String,
    /// When the run began, ns of the monotonic clock.
    began: u64,
    /// When the run ended, ns of the monotonic clock; `None` before its end is reported.
    ended: Option<u64>,
    file: File,
}

/// What is known of the file that a script's own profiler writes after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// The file may still be written.
    Awaited,
    /// The file is there, complete.
    Written,
    /// The profiler is gone, and no file will come.
    None,
}

impl OwnProfilers {
    /// Takes a report of the process about a run, such as `3 began torch.profiler` or `3 ended` for run 3,
    /// made at `time`, ns of the monotonic clock.
    pub fn take(&mut self, report: &str, time: u64) {
        let mut words = report.splitn(3, ' ');
        let Some(number) = words.next().and_then(|number| number.parse().ok()) else { return };
        if let (Some("began"), profiler) = (words.next(), words.next()) {
            let profiler = profiler.unwrap_or_default().to_owned();
            self.0.insert(number, Run { profiler, began: time, ended: None, file: File::Awaited });
            return;
        }
        let Some(run) = self.0.get_mut(&number) else { return };
        match report.rsplit(' ').next() {
            Some("ended") => run.ended = run.ended.or(Some(time)),
            Some("written") => run.file = File::Written,
            Some("gone") if run.file == File::Awaited => run.file = File::None,
            _ => {}
        }
    }

    /// The profiler's name and what is known of its file, for each run that overlaps the time from `start` to
    /// `end`, ns of the monotonic clock.
    pub fn between(&self, start: u64, end: u64) -> impl Iterator<Item = (&str, File)> {
        let is_within = move |run: &&Run| run.began < end && run.ended.is_none_or(|ended| ended > start);
        self.0.values().filter(is_within).map(|run| (run.profiler.as_str(), run.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_known_from_its_beginning_to_its_file() {
        let mut runs = OwnProfilers::default();
        for (report, time) in [
            ("1 began torch.profiler", 10),
            ("1 ended", 20),
            ("2 began x y", 30),
            ("7 ended", 31),
            ("nonsense", 32),
            ("", 33),
        ] {
            runs.take(report, time);
        }
        let between = |runs: &OwnProfilers, start, end| {
            runs.between(start, end).map(|(name, file)| (name.to_owned(), file)).collect::<Vec<_>>()
        };
        let first = ("torch.profiler".to_owned(), File::Awaited);
        assert_eq!(between(&runs, 0, 10), []);
        assert_eq!(between(&runs, 0, 11), std::slice::from_ref(&first));
        assert_eq!(between(&runs, 20, 30), []);
        assert_eq!(between(&runs, 19, 99), [first, ("x y".to_owned(), File::Awaited)]);
        runs.take("1 written", 40);
        runs.take("1 gone", 50);
        runs.take("2 gone", 60);
        assert_eq!(
            between(&runs, 0, 99).iter().map(|run| run.1).collect::<Vec<_>>(),
            [File::Written, File::None]
        );
    }
}
