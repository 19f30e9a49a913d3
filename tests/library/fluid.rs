//! The report of Paddle's old profiler, against reports that it printed, where they stand beside the
//! checkout.

mod printed;
mod profile;

use std::collections::BTreeMap;
use std::path::PathBuf;

use proftui_insight::analysis::Scope;
use proftui_insight::compat::fluid::print as text;
use proftui_insight::compat::fluid::{Detail, Options, Report, Row, Section, SortKey, State, report};
use proftui_trace::import::{Progress, Request, load};

use printed::Printed;

fn shared() -> Option<PathBuf> {
    crate::skip::shared("", "reports of the old profiler")
}

/// The recorded reports: their paths, what they were asked for, and their text.
fn recorded(shared: &std::path::Path) -> Vec<(PathBuf, Options, String)> {
    let mut found = Vec::new();
    for version in ["v262", "v331"] {
        for entry in std::fs::read_dir(shared.join("oracles/paddle/fluid").join(version)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let Some((_, options)) = name.strip_suffix(".txt").and_then(|name| name.split_once('.')) else {
                continue;
            };
            let (detail, key) = options.split_once('.').expect("two options");
            let detail = match detail {
                "kDefault" => Detail::Default,
                "kOpDetail" => Detail::OpDetail,
                _ => Detail::AllOpDetail,
            };
            let key = SortKey::named(&key.trim_start_matches('k').to_lowercase()).expect("a key");
            let options = Options { state: State::Cpu, key, detail };
            let text = std::fs::read_to_string(&path).expect("a report");
            found.push((path, options, text));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// A section's rows as path and calls: what does not depend on the clock. Siblings come in any order.
fn paths(section: &Section) -> BTreeMap<String, u64> {
    let mut path: Vec<String> = Vec::new();
    let mut found = BTreeMap::new();
    for row in &section.rows {
        path.truncate(row.depth);
        path.push(row.name.clone());
        let known = found.insert(path.join(" > "), row.calls);
        assert_eq!(known, None, "{path:?} twice");
    }
    found
}

/// Siblings' values by the key, in the order printed, for every parent.
fn siblings(section: &Section, key: SortKey) -> Vec<Vec<f64>> {
    let mut open: Vec<Vec<f64>> = Vec::new();
    let mut done = Vec::new();
    let mut thread = String::new();
    for row in &section.rows {
        let own = row.name.split("::").next().filter(|name| name.starts_with("thread")).unwrap_or_default();
        if row.depth == 0 && own != thread {
            done.append(&mut open);
            own.clone_into(&mut thread);
        }
        while open.len() > row.depth + 1 {
            done.extend(open.pop());
        }
        open.resize_with(row.depth + 1, Vec::new);
        open[row.depth].push(match key {
            SortKey::Default => 0.0,
            SortKey::Calls => row.calls as f64,
            SortKey::Max => row.max,
            SortKey::Min => row.min,
            SortKey::Ave => row.ave,
            _ => row.total,
        });
    }
    done.append(&mut open);
    done
}

#[test]
fn recorded_reports_are_sorted_as_we_sort() {
    let Some(shared) = shared() else { return };
    let (mut lists, mut orders) = (0, 0);
    for (path, options, want) in recorded(&shared) {
        let theirs = printed::read(&want);
        for section in &theirs.sections {
            for values in siblings(section, options.key) {
                assert!(values.is_sorted_by(|a, b| a >= b), "{}: {values:?}", path.display());
                lists += 1;
            }
        }
        if options.key == SortKey::Default {
            let loaded = load(&Request::new([path.with_extension("prof.pb")]), &Progress::default())
                .expect("a profile");
            let ours = report(&loaded.trace, &Scope::default(), options);
            let names = |sections: &[Section]| -> Vec<String> {
                sections.iter().flat_map(|section| &section.rows).map(|row| row.name.clone()).collect()
            };
            orders += names(&ours.sections).len();
            assert_eq!(names(&ours.sections), names(&theirs.sections), "{}", path.display());
        }
    }
    println!(
        "fluid order: {lists} lists of siblings fall, {orders} rows in order of their first end, 0 differ"
    );
}

#[test]
fn recorded_summaries_follow_from_their_rows() {
    let Some(shared) = shared() else { return };
    let mut values = 0;
    for (path, options, want) in recorded(&shared) {
        if options.detail == Detail::Default && path.to_string_lossy().contains("static") {
            continue; // Inner parts that are not printed count as computation there.
        }
        for section in &printed::read(&want).sections {
            let Some(overhead) = &section.overhead else { continue };
            let sum = |wanted: &dyn Fn(&&Row) -> bool| -> f64 {
                section.rows.iter().filter(wanted).map(|row| row.total).sum()
            };
            let total = sum(&|row| row.depth == 0);
            let compute = sum(&|row| row.depth > 0 && row.name.contains("compute"));
            for (ours, theirs) in [
                (total, overhead.total),
                (compute, overhead.shares[0].total),
                (total - compute, overhead.shares[1].total),
            ] {
                values += 1;
                assert!((ours - theirs).abs() < 1e-5 * total, "{}: {ours}, not {theirs}", path.display());
            }
        }
    }
    println!("fluid summaries: {values} totals follow from the rows below, 0 differ");
}

fn loaded(bytes: &[u8]) -> proftui_trace::model::Trace {
    proftui_trace::import::load_bytes(bytes, &Request::default(), &Progress::default())
        .expect("a profile")
        .trace
}

fn names(report: &Report) -> Vec<String> {
    let rows = report.sections.last().expect("a section").rows.iter();
    rows.map(|row| format!("{}{}", " ".repeat(row.depth), row.name)).collect()
}

#[test]
fn details_are_inner_parts_and_instances() {
    let trace = loaded(&profile::one_operator());
    assert_eq!((trace.slices.len(), trace.quality.dropped), (5, 0));
    let of = |detail| {
        report(&trace, &Scope::default(), Options { state: State::Cpu, detail, key: SortKey::Total })
    };
    let copy = "GpuMemcpySync:CPU->GPU";
    assert_eq!(
        names(&of(Detail::AllOpDetail)),
        ["thread7::sgd", " sgd0", "  sgd0/compute", &format!("   {copy}"), "  sgd0/infer_shape"]
    );
    let plain = of(Detail::Default);
    assert_eq!(
        names(&plain),
        ["thread7::sgd", " sgd0", &format!("  {copy}")],
        "copies go to the nearest operator"
    );
    let overhead = plain.sections[0].overhead.as_ref().expect("one thread");
    assert_eq!((overhead.copies[0].calls, overhead.copies[1].name), (1, "GpuMemcpySync"));
    let compute = overhead.shares[0].total;
    assert!((compute - 0.0066).abs() < 1e-12, "{compute} ms, though its line is not shown");
}

#[test]
fn a_damaged_profile_gives_what_stands_before_the_damage() {
    let whole = profile::one_operator();
    for len in 1..whole.len() {
        let part =
            proftui_trace::import::load_bytes(&whole[..len], &Request::default(), &Progress::default());
        if let Ok(part) = part {
            assert!(part.trace.slices.len() <= 5);
            let _ = text::render(&report(&part.trace, &Scope::default(), Options::default()));
        }
    }
    let mut broken = whole.clone();
    for at in 2..whole.len() {
        broken[at] ^= 0xff;
        let _ = proftui_trace::import::load_bytes(&broken, &Request::default(), &Progress::default());
        broken[at] ^= 0xff;
    }
}

#[test]
fn ratios_of_each_thread_add_up() {
    for name in
        ["synthetic-gpu.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz"]
    {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
        let trace = load(&Request::new([path]), &Progress::default()).expect("a trace").trace;
        let report = report(&trace, &Scope::default(), Options::default());
        let merged = &report.sections[0];
        let top: f64 = merged.rows.iter().filter(|row| row.depth == 0).map(|row| row.ratio).sum();
        assert!((top - 1.0).abs() < 1e-9, "{name}: {top}");
        for row in &merged.rows {
            assert!(row.min <= row.ave + 1e-9 && row.ave <= row.max + 1e-9, "{name}: {row:?}");
            assert!((row.total - row.cpu - row.gpu).abs() < 1e-6);
        }
    }
}

#[test]
fn memory_goes_to_the_event_around_it() {
    let memory = |ts: u32, bytes: i64, kind: &str| {
        format!(
            r#"{{"ph":"i","s":"t","name":"[memory]","cat":"{kind}","pid":1,"tid":1,"ts":{ts},"args":{{"place":"Place(cpu)","addr":"0x1","increase_bytes":{bytes},"Bytes":{bytes},"Device Type":0}}}}"#
        )
    };
    let trace = loaded(
        format!(
            r#"[{{"ph":"X","cat":"cpu_op","name":"conv2d","pid":1,"tid":1,"ts":10,"dur":10}},{},{},{},{}]"#,
            memory(12, 3 << 20, "Allocate"),
            memory(13, 1 << 19, "Allocate"),
            memory(14, -(1 << 20), "Free"),
            memory(30, -(1 << 20), "Free"),
        )
        .as_bytes(),
    );
    let report = report(&trace, &Scope::default(), Options::default());
    let printed = text::render(&report);
    let mut lines = printed.lines().skip_while(|line| !line.contains("Memory Profiling Report"));
    let cells = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let own = lines.find(|line| line.contains(":conv2d ")).expect("a line of the operator");
    assert_eq!(cells(own), ["2", "3.5", "1", "1"], "{printed}");
    assert_eq!(report.memory.len(), 2);
    assert_eq!((report.memory[1].releases, report.memory[1].released), (1, 1 << 20), "outside any event");
}

#[test]
fn a_trace_of_nothing_has_an_empty_report() {
    let trace = loaded(b"[]");
    let report = report(&trace, &Scope::default(), Options::default());
    let printed = text::render(&report);
    assert!(printed.contains("Total time: 0\n") && printed.contains("GpuMemcpy                Calls: 0"));
}

#[test]
fn recorded_reports_render_to_the_same_bytes() {
    let Some(shared) = shared() else { return };
    let recorded = recorded(&shared);
    let mut lines = 0;
    for (path, options, want) in &recorded {
        let Printed { sections } = printed::read(want);
        lines += want.lines().count();
        let ours = text::render(&Report { options: *options, sections, memory: Vec::new() });
        assert_eq!(&ours, want, "{}", path.display());
    }
    println!("fluid layout: {} reports, {lines} lines, 0 bytes differ", recorded.len());
}

#[test]
fn profiles_give_the_names_nesting_and_calls_of_their_reports() {
    let Some(shared) = shared() else { return };
    let recorded = recorded(&shared);
    let (mut rows, mut same_time, mut sections) = (0, 0, 0);
    for (path, options, want) in &recorded {
        let profile = path.with_extension("prof.pb");
        let loaded = load(&Request::new([&profile]), &Progress::default()).expect("a profile loads");
        assert_eq!(loaded.trace.meta.producer, "fluid");
        assert_eq!(loaded.trace.quality.dropped, 0);
        let ours = report(&loaded.trace, &Scope::default(), *options);
        let theirs = printed::read(want);
        assert_eq!(ours.sections.len(), theirs.sections.len(), "{}", path.display());
        for (ours, theirs) in ours.sections.iter().zip(&theirs.sections) {
            assert_eq!(paths(ours), paths(theirs), "{}", path.display());
            assert_eq!(ours.is_merged, theirs.is_merged);
            assert_eq!(ours.overhead.is_some(), theirs.overhead.is_some());
            rows += ours.rows.len();
            sections += 1;
            let times: BTreeMap<&str, f64> =
                theirs.rows.iter().map(|row| (row.name.as_str(), row.total)).collect();
            let is_same =
                |row: &&Row| (times[row.name.as_str()] - row.total).abs() < 2e-6 * row.total.max(1.0);
            same_time += ours.rows.iter().filter(is_same).count();
        }
    }
    println!(
        "fluid profiles: {} files, {sections} sections, {rows} rows of names, nesting and calls, 0 differ; {same_time} totals \
         are alike too",
        recorded.len()
    );
}

#[test]
fn the_guides_gpu_columns_follow_from_times() {
    let Some(shared) = shared() else { return };
    let guide = std::fs::read_to_string(shared.join("documents/paddle-fluid-profiler-reports.md"))
        .expect("the guide");
    let mut values = 0;
    let mut rows = 0;
    for line in guide.lines() {
        let Some(row) = printed::guide_row(line) else { continue };
        rows += 1;
        let mut ours = String::new();
        // Total and average follow from the times; the ratio's whole is not in the guide.
        let total = row.cpu + row.gpu;
        let row = Row { total, ave: total / row.calls as f64, ..row };
        text::render_row(&row, State::All, row.name.len() + 1, &mut ours);
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (ours.split_whitespace().collect(), line.split_whitespace().collect());
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            values += 1;
            assert!(printed::is_alike(ours, theirs), "{line}: {ours} is not {theirs}");
        }
    }
    assert!(rows > 100);
    println!("fluid guide: {rows} rows with GPU columns, {values} values, 0 differ");
}
