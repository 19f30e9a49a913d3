//! The names of the processes that follow a leader, as they are shown in its trace.

use std::collections::HashMap;
use std::path::Path;

use proftui_wire::log::TITLE;

use crate::capture::process::Process;

/// Names of the processes after the first, the leader, by process id: the name that a process was given, else
/// a text such as `forked child 2 of train.py`.
pub(crate) fn titles(processes: &[&Process]) -> HashMap<u32, String> {
    let mut followers: Vec<&Process> = processes.iter().skip(1).copied().collect();
    followers.sort_by_key(|process| (process.key.start, process.pid));
    let mut unnamed: HashMap<_, u32> = HashMap::new();
    let mut titles = HashMap::new();
    for process in followers {
        let title = process.fact(TITLE).unwrap_or_else(|| {
            let number = unnamed.entry(process.leader).or_default();
            *number += 1;
            let parent = processes.iter().find(|parent| Some(parent.key) == process.leader);
            format!(
                "forked child {number} of {}",
                parent.map_or_else(|| "a process".to_owned(), |parent| program(parent))
            )
        });
        titles.insert(process.pid, title);
    }
    titles
}

/// Name of a process: the given one, else its script's file name, else `process` and its process id.
fn program(process: &Process) -> String {
    let script = || Some(Path::new(&process.fact("script")?).file_name()?.to_string_lossy().into_owned());
    process.fact(TITLE).or_else(script).unwrap_or_else(|| format!("process {}", process.pid))
}
