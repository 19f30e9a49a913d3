//! Single-byte changes of real traces of several producers, where a collection stands beside the checkout:
//! none is refused, and each costs at most two events.
//!
//! A third of the changes hits the bytes before the events, of which the key `traceEvents` is one part in
//! three, a sixth the bytes behind them, and the rest any byte. In a release build 300 changes for each of 3
//! seeds, in a debug one fewer.

use std::io::Read;

use proftui_trace::model::Trace;

use super::damage::Damage;
use super::laws::taken;
use crate::generate::rng::Rng;
use crate::watchdog::Watchdog;

/// Traces of different producers, and forms of framing.
const TRACES: [&str; 8] = [
    "../oracles/paddle/cpu262/default/span0.paddle_trace.json",
    "torch_local/2.15.0_r18_infer.pt.trace.json",
    "hta/tests/data/critical_path/cuda_event_sync/event_sync_trace.json",
    "tracelens/tests/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
    "catapult/tracing/test_data/v8_runtime_call_stats.json",
    "viztracer/async_simple.json.gz",
    "tracelens/tests/traces/h100/Falconsai_nsfw_image_detection__1016002.json.gz",
    "catapult/tracing/test_data/big_trace.json",
];
const SEEDS: u64 = 3;

/// Changes per seed and trace; `PROFTUI_CHANGES` states another number.
fn changes() -> usize {
    let asked = std::env::var("PROFTUI_CHANGES").ok().and_then(|changes| changes.parse().ok());
    asked.unwrap_or(if cfg!(debug_assertions) { 12 } else { 300 })
}

/// The trace's text, inflated.
fn text(path: &std::path::Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a file");
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text).expect("inflates");
    text
}

/// A byte of the text, as the module's head says.
fn offset(rng: &mut Rng, text: &[u8]) -> usize {
    let key = memchr::memmem::find(text, b"\"traceEvents\"");
    let first =
        text[key.unwrap_or(0)..].iter().position(|&byte| byte == b'[').unwrap_or(0) + key.unwrap_or(0);
    let last = text.iter().rposition(|&byte| byte == b']').unwrap_or(text.len() - 1);
    let within = |rng: &mut Rng, from: usize, to: usize| from + rng.below((to - from) as u64) as usize;
    match rng.below(18) {
        0 | 1 => within(rng, key.unwrap_or(0), first + 1),
        2..6 => within(rng, 0, first + 1),
        6..9 => within(rng, last.min(text.len() - 1), text.len()),
        _ => within(rng, 0, text.len()),
    }
}

/// What a change costs: events, and slices.
fn cost(whole: &Trace, trace: &Trace) -> [u64; 2] {
    let slices = (whole.slices.len() as u64).saturating_sub(trace.slices.len() as u64);
    [taken(whole).saturating_sub(taken(trace)), slices]
}

#[test]
fn a_changed_byte_of_a_real_trace_costs_at_most_two_events() {
    let Some(shared) = crate::skip::shared("traces", "damage in real traces") else { return };
    let (watchdog, mut broken) = (Watchdog::start(), Vec::new());
    println!("{:>8} {:>8} {:>8} {:>8} {:>8}  trace", "changes", "refused", "lost 0", "lost 1", "lost 2");
    for path in TRACES {
        let text = text(&shared.join(path));
        let whole = super::load(&text).expect("loads");
        let (mut lost, mut refused) = ([0_usize; 3], 0);
        for seed in 0..SEEDS {
            let mut rng = Rng(seed);
            for _ in 0..changes() {
                let at = offset(&mut rng, &text);
                let mut damage = Damage::any(&mut rng);
                while damage == Damage::Cut {
                    damage = Damage::any(&mut rng);
                }
                watchdog.feed(format!("{path}, seed {seed}, byte {at}, {damage}"));
                let around = &text[at.saturating_sub(30)..(at + 30).min(text.len())];
                let context = format!("{path}, seed {seed}, byte {at} {damage}: …{}…", around.escape_ascii());
                match super::load(&damage.strike(&text, at)) {
                    Err(why) => {
                        refused += 1;
                        broken.push(format!("{context}: {why}"));
                    }
                    Ok(trace) => {
                        let [events, slices] = cost(&whole, &trace);
                        if events.max(slices) > 2 || taken(&trace) > taken(&whole) {
                            broken.push(format!("{context}: {events} events and {slices} slices lost"));
                        } else {
                            lost[events.max(slices) as usize] += 1;
                        }
                    }
                }
            }
        }
        println!(
            "{:>8} {refused:>8} {:>8} {:>8} {:>8}  {path}",
            SEEDS as usize * changes(),
            lost[0],
            lost[1],
            lost[2]
        );
    }
    assert!(broken.is_empty(), "{} changes:\n{}", broken.len(), broken[..broken.len().min(40)].join("\n"));
}
