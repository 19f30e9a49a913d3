//! Damage stays where it is: one byte flipped, replaced, removed or inserted costs at most two events, and a
//! text cut off loses nothing before the cut. The laws stand in `locality/laws.rs`.
//!
//! `PROFTUI_SEEDS` says how many offsets of the large file are tried: 1000 in a release build, fewer in a
//! debug one.

pub(crate) mod damage;
pub(crate) mod laws;
mod real;

use std::collections::BTreeMap;

use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::Trace;

use crate::generate::rng::Rng;
use crate::mixed::{Mixed, mixed};
use crate::watchdog::Watchdog;
use damage::{Damage, MEANINGFUL};
use laws::{Loss, hold};

/// Loads the text in two ways that share little, which must agree: templates, two threads and small chunks;
/// or none of them.
fn load(text: &[u8]) -> Result<Trace, String> {
    let one = |request: Request| {
        let loaded = load_bytes(text, &request, &Progress::default());
        loaded.map(|loaded| loaded.trace).map_err(|error| error.to_string())
    };
    let fast = one(Request { threads: Some(2), chunk: Some(1 << 16), ..Request::default() });
    let tolerant = one(Request { threads: Some(1), is_tolerant: true, ..Request::default() });
    let digest = |way: &Result<Trace, String>| way.as_ref().map(Trace::digest).map_err(Clone::clone);
    match (digest(&fast), digest(&tolerant)) {
        (one, other) if one == other => fast,
        (one, other) => panic!("the fast way gives {one:x?}, the tolerant one {other:x?}"),
    }
}

/// How often each kind of damage cost what.
#[derive(Default)]
struct Figures(BTreeMap<(&'static str, Loss), usize>);

impl Figures {
    fn count(&mut self, damage: Damage, loss: Loss) {
        *self.0.entry((damage.kind(), loss)).or_default() += 1;
    }

    fn print(&self, title: &str) {
        println!("{title}\n{:>10} {:>12} {:>8} {:>8}", "damage", "events lost", "dropped", "times");
        for ((kind, loss), times) in &self.0 {
            println!("{kind:>10} {:>12} {:>8} {times:>8}", loss.events, loss.dropped);
        }
    }
}

/// Damages the trace at one offset; returns the broken law as text.
fn strike(mixed: &Mixed, damage: Damage, at: usize, figures: &mut Figures) -> Result<(), String> {
    let around = &mixed.text[at.saturating_sub(30)..(at + 30).min(mixed.text.len())];
    let context = || format!("byte {at} {damage}: …{}…", around.escape_ascii());
    let trace = load(&damage.strike(&mixed.text, at)).map_err(|why| format!("{}: {why}", context()))?;
    let loss = hold(mixed, &trace, damage, at).map_err(|why| format!("{}: {why}", context()))?;
    figures.count(damage, loss);
    Ok(())
}

fn seeds() -> u64 {
    let asked = std::env::var("PROFTUI_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    asked.unwrap_or(if cfg!(debug_assertions) { 40 } else { 1000 })
}

#[test]
fn one_byte_of_a_large_file_costs_at_most_two_events() {
    let (mixed, watchdog, mut figures) = (mixed(100_000), Watchdog::start(), Figures::default());
    let whole = load(&mixed.text).expect("loads");
    assert_eq!((whole.quality.dropped, whole.quality.damage()), (0, 0));
    let (first, last) = (mixed.events[0].start, mixed.events[mixed.events.len() - 1].end);
    for seed in 0..seeds() {
        let mut rng = Rng(seed);
        let at = first + rng.below((last - first) as u64) as usize;
        let damage = Damage::any(&mut rng);
        watchdog.feed(format!("seed {seed}"));
        strike(&mixed, damage, at, &mut figures).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    figures.print(&format!("{} seeds, {} events, {} bytes", seeds(), mixed.events.len(), mixed.text.len()));
}

/// Every byte of some events of each layout, and of what stands between them, with everything that is likely
/// to hurt.
#[test]
fn every_byte_of_a_small_file() {
    let (mixed, watchdog, mut figures) = (mixed(220), Watchdog::start(), Figures::default());
    let mut all = vec![Damage::Remove, Damage::Cut];
    all.extend((0..8).map(|bit| Damage::Flip(1 << bit)));
    all.extend(MEANINGFUL.iter().flat_map(|&byte| [Damage::Replace(byte), Damage::Insert(byte)]));
    // A part of them that meets every kind; `PROFTUI_EVERY` tries all, which takes minutes.
    let step = match std::env::var_os("PROFTUI_EVERY") {
        Some(_) => 1,
        None if cfg!(debug_assertions) => 199,
        None => 13,
    };
    let ranges = [20..41, 60..81, 100..121, 160..181]
        .map(|part| mixed.events[part.start].start..mixed.events[part.end].start);
    let tries = ranges.into_iter().flatten().flat_map(|at| all.iter().map(move |&damage| (at, damage)));
    let mut broken = Vec::new();
    for (at, damage) in tries.step_by(step) {
        watchdog.feed(format!("byte {at}, {damage}"));
        broken.extend(strike(&mixed, damage, at, &mut figures).err());
    }
    figures.print("every byte of 84 events");
    assert!(
        broken.is_empty(),
        "{} broken laws:\n{}",
        broken.len(),
        broken[..broken.len().min(40)].join("\n")
    );
}

/// Around the events damage costs at most two of them; only a text cut off before its events is refused.
#[test]
fn damage_around_the_events_costs_at_most_two() {
    let (mixed, watchdog) = (mixed(60), Watchdog::start());
    let header = 0..mixed.events[0].start;
    let footer = mixed.events[mixed.events.len() - 1].end..mixed.text.len();
    let (mut tries, mut refused, all) = (0, 0, mixed.events.len() as u64);
    for at in header.chain(footer) {
        for seed in 0..if cfg!(debug_assertions) { 2 } else { 60 } {
            let damage = Damage::any(&mut Rng((at as u64) << 8 | seed));
            watchdog.feed(format!("byte {at}, {damage}"));
            tries += 1;
            match load(&damage.strike(&mixed.text, at)) {
                Ok(trace) => {
                    let taken = laws::taken(&trace);
                    let least = if damage == Damage::Cut { 0 } else { all - 2 };
                    assert!((least..=all).contains(&taken), "byte {at}, {damage}: {taken} events");
                }
                Err(why) => {
                    assert_eq!(damage, Damage::Cut, "byte {at}: {why}");
                    refused += 1;
                }
            }
        }
    }
    println!("{tries} tries around the events: {refused} refused, which were cut off before the events");
}
