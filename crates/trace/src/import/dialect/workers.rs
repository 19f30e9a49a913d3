//! The workers in the names of files and folders, and in the process ids of merged files.

use std::path::Path;

use crate::import::bytes::directory::ASCEND;

/// The ranks in the name that `SGLang` gives a trace file: `TP-0-DP-1` in `1773-TP-0-DP-1.trace.json.gz`.
/// `None` for other names.
pub(in crate::import) fn ranks_in_name(path: &Path) -> Option<&str> {
    const KINDS: [&str; 4] = ["TP", "DP", "PP", "EP"];
    let stem = path.file_name()?.to_str()?.split_once(".trace.json")?.0;
    let parts: Vec<&str> = stem.split('-').collect();
    let is_rank = |pair: &[&str]| {
        KINDS.contains(&pair[0]) && !pair[1].is_empty() && pair[1].bytes().all(|byte| byte.is_ascii_digit())
    };
    let first = (1..parts.len().saturating_sub(1)).find(|&at| is_rank(&parts[at..at + 2]))?;
    let ranks = parts[first..].chunks_exact(2).take_while(|pair| is_rank(pair)).count();
    let length = |parts: &[&str]| parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let start = length(&parts[..first]);
    stem.get(start..start + length(&parts[first..first + 2 * ranks]) - 1)
}

/// The ranks and the process id that `SGLang` joins in the process ids of a merged file: `TP00-DP00` and
/// `830` of `[TP00-DP00] 830`. `None` for other ids.
pub(in crate::import) fn ranks_in_pid(pid: &[u8]) -> Option<(&str, &[u8])> {
    let rest = pid.strip_prefix(b"[")?;
    let (ranks, pid) = rest.split_at(memchr::memmem::find(rest, b"] ")?);
    let ranks = std::str::from_utf8(ranks).ok()?;
    let is_rank = |part: &str| {
        let number = part.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        !number.is_empty() && number.len() < part.len() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    ranks.split('-').all(is_rank).then_some((ranks, &pid[2..]))
}

/// The worker that the name of a file or of a folder around it states, as Paddle, PyTorch, `SGLang` and
/// Ascend's profiler give names. `None` for other names.
pub(in crate::import) fn worker_in_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    // Ascend's profiler names a folder by worker and time, and writes files of equal names into it.
    let mut folders = path.ancestors().skip(1).take(2).filter_map(|folder| folder.file_name()?.to_str());
    if let Some(folder) = folders.find_map(|folder| folder.strip_suffix(ASCEND)) {
        let worker = folder.trim_end_matches(|c: char| c.is_ascii_digit());
        return Some(
            worker.strip_suffix('_').filter(|worker| !worker.is_empty()).unwrap_or(folder).to_owned(),
        );
    }
    if let Some((stem, _)) = name.split_once(".paddle_trace") {
        return Some(stem.rsplit_once("_time_").map_or(stem, |(worker, _)| worker).to_owned());
    }
    if let Some(ranks) = ranks_in_name(path) {
        return Some(ranks.to_owned());
    }
    let (stem, _) = name.split_once(".pt.trace")?;
    let worker = match stem.rsplit_once('.') {
        Some((worker, stamp)) if stamp.bytes().all(|b| b.is_ascii_digit()) => worker,
        _ => stem,
    };
    Some(worker.to_owned())
}

/// The host in the name that XLA's profiler gives a trace file: `node7` of `node7.trace.json.gz`. Its process
/// ids are the same on every host. `None` for other names.
pub(in crate::import) fn host_in_name(path: &Path) -> Option<String> {
    let (host, _) = path.file_name()?.to_str()?.split_once(".trace.json")?;
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_files_have_ranks_in_process_ids() {
        assert_eq!(ranks_in_pid(b"[TP00-DP01] 830"), Some(("TP00-DP01", b"830".as_slice())));
        assert_eq!(ranks_in_pid(b"[TP3] Spans"), Some(("TP3", b"Spans".as_slice())));
        for other in ["830", "[main] 830", "[] 1", "[TP] 1", "[7] 1", "[TP00]830"] {
            assert_eq!(ranks_in_pid(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn hosts_in_names_of_xla() {
        assert_eq!(host_in_name(Path::new("profile/T/node7.trace.json.gz")).as_deref(), Some("node7"));
        assert_eq!(host_in_name(Path::new("perfetto.json.gz")), None);
    }

    #[test]
    fn workers_in_file_names() {
        let worker = |name: &str| worker_in_name(Path::new(name));
        assert_eq!(worker("host_apid_7_time_2026_01_02.paddle_trace.json").as_deref(), Some("host_apid_7"));
        assert_eq!(worker("d/worker0.1623143089861.pt.trace.json.gz").as_deref(), Some("worker0"));
        assert_eq!(worker("rank-0.Apr_03.1102.pt.trace.json").as_deref(), Some("rank-0.Apr_03"));
        assert_eq!(worker("trace.json"), None);
        for (name, ranks) in [
            ("1773.5-TP-0-DP-1-PP-0-EP-12.trace.json.gz", Some("TP-0-DP-1-PP-0-EP-12")),
            ("d/run-7-TP-3.trace.json.gz", Some("TP-3")),
            ("17-TP-3-DP-0-DECODE.trace.json.gz", Some("TP-3-DP-0")),
            ("17-TP-3-EXTEND-2.trace.json", Some("TP-3")),
            ("TP-3.trace.json", None),
            ("17-TP-x.trace.json", None),
            ("17-TP-.trace.json", None),
            ("17-TP.trace.json", None),
            ("merged-17.trace.json.gz", None),
        ] {
            assert_eq!(worker(name).as_deref(), ranks, "{name}");
        }
        let ascend = "out/node1_77_20260102030405678_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json";
        assert_eq!(worker(ascend).as_deref(), Some("node1_77"));
    }
}
