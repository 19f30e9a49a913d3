//! What there is to say when the program has ended: how long steps took, or why there is no trace.

use std::path::Path;

use proftui_wire::log::NoteKind;
use proftui_wire::schedule::Schedule;

use crate::export::recording::{Range, Recording, Thread};

use super::process::Process;
use super::reason::Told;
use super::watch::Watch;
use super::{lead, output, timer};

/// Says it. The program ended at `ended` (ns of the monotonic clock), by `how` where that was no good end.
pub(super) fn tell(watch: &mut Watch<'_>, ended: u64, how: Option<String>) {
    if !watch.run.path().exists() {
        watch.saver.status.say("the run's folder was taken away: what was not written yet is lost");
    } else if watch.plan.options.is_timer_only {
        tell_timers(watch);
    } else if watch.saver.has_failed {
        watch
            .saver
            .status
            .say("what was recorded stays where it is; proftui recover writes it, --out where to");
    } else if watch.saver.traces.is_empty() {
        explain(watch, ended, how);
    } else if is_stepless(watch) && !tell_no_step(watch) && watch.saver.has_phases {
        watch.saver.status.tell(&format!("{STEPLESS}; --step-on says what ends one"));
    }
}

/// True where no process saw a step.
fn is_stepless(watch: &Watch<'_>) -> bool {
    watch.family.all().all(|process| process.steps == 0)
}

/// Says why, where processes know; false where none does.
fn tell_no_step(watch: &mut Watch<'_>) -> bool {
    let mut why: Vec<String> = watch
        .family
        .all()
        .flat_map(|process| process.notes_of(NoteKind::NoStep).collect::<Vec<_>>())
        .collect();
    why.sort();
    why.dedup();
    why.iter().for_each(|why| watch.saver.status.tell(why));
    !why.is_empty()
}

fn tell_timers(watch: &mut Watch<'_>) {
    let timers = watch.family.all().map(|process| (process.pid, timer::summary(&process.live().timer())));
    let texts: Vec<(u32, String)> = timers.filter_map(|(pid, text)| Some((pid, text?))).collect();
    for (pid, text) in &texts {
        let whose = if texts.len() > 1 { format!("process {pid}: ") } else { String::new() };
        watch.saver.status.say(&format!("{whose}{}", text.trim_end()));
    }
    if watch.family.all().next().is_none() {
        watch.saver.status.say(BLIND);
    } else if texts.is_empty() && !tell_no_step(watch) {
        watch.saver.status.say(&format!("{STEPLESS}; --step-on says what ends one"));
    }
}

/// Why there is no trace; of a program that cannot be looked into, one of its own life.
fn explain(watch: &mut Watch<'_>, ended: u64, how: Option<String>) {
    if is_stepless(watch) {
        tell_no_step(watch);
    }
    let first = watch.plan.options.schedule.first();
    let steps = watch.family.all().map(|process| process.steps).max();
    let why = match steps {
        None => return life(watch, ended, how, BLIND),
        Some(_) if watch.plan.options.schedule == Schedule::All && watch.plan.window.is_none() => {
            return life(watch, ended, how, QUIET);
        }
        _ if watch.plan.window.is_some() => {
            "nothing was recorded: the program ended before the window began, or nothing happened in it"
                .into()
        }
        Some(0) if first > 0 => format!(
            "nothing was recorded: no step was seen, so step {first} never came; --step-on says what ends a step"
        ),
        // It came, but nothing did in it.
        Some(steps) if first > 0 && steps <= first => {
            format!(
                "nothing was recorded: recording begins with step {first}, and the program ended in step {steps}"
            )
        }
        Some(_) => "nothing was recorded: nothing that could be recorded happened".into(),
    };
    watch.saver.status.say(&why);
}

const STEPLESS: &str = "no step was seen";

const BLIND: &str = "no Python process of the program could be looked into (python -I, -E or -S, Python before 3.8, another language)";
const QUIET: &str = "nothing happened in it that is recorded: no step, no phase of a framework, no range with a name; \
                     --step-on module:function says what ends a step";

/// Writes a trace of nothing but the program's own beginning and end.
fn life(watch: &mut Watch<'_>, ended: u64, how: Option<String>, why: &str) {
    let lead = lead();
    let wall = |time: u64| time.checked_add_signed(lead).unwrap_or(time);
    let (start, end) = (wall(watch.started), wall(ended));
    let program = watch.plan.command.first().map(Path::new).and_then(Path::file_name);
    let name = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut facts = vec![
        ("proftui.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("proftui.command".to_owned(), watch.saver.command.clone()),
        ("proftui.note.1".to_owned(), why.to_owned()),
    ];
    facts.extend(how.map(|how| ("proftui.end".to_owned(), how)));
    let processes: Vec<&Process> = watch.family.all().collect();
    let told = Told::by(watch.pid, &processes, 1, 0, "the whole program".into());
    facts.extend(watch.saver.reason(&told));
    let recording = Recording {
        index: 0,
        names: vec![name.as_bytes().to_vec()],
        threads: vec![Thread {
            pid: watch.pid,
            tid: watch.pid,
            name,
            // 7 is Paddle's number of ranges that users define.
            ranges: vec![Range { start, end, kind: 7, name: 0, is_cut: false }],
            ..Thread::default()
        }],
        facts,
        ..Recording::default()
    };
    let what = format!("only the program's own beginning and end: {why}");
    watch.saver.write(&output::worker(watch.pid, None), &recording, &what);
}
