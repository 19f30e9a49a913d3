//! The first screens of real traces, one of each kind, where a collection of them stands beside the checkout.
//!
//! Each is a snapshot at three sizes, at the smallest also with its styles in every depth of colour.

use proftui::app::session::loading::{LoadProgress, Shown};
use proftui::app::{Msg, State};
use proftui::ui::Theme;
use proftui::ui::theme::{Background, Depth};

use super::screens::styled;
use super::{draw, explorer, screen, send, text, theme};
use crate::scratch::Scratch;

/// A rank of a recommendation model trained on several devices.
const DLRM: &str =
    "param/et_replay/tests/inputs/dlrm_kineto/dlrm_kineto/worker2_step_12.1694128201554.pt.trace.json.gz";
/// A step of a server whose work runs long after its launches.
const VLLM: &str = "tracelens/tests/traces/inference/vllm_decode_full/graph_execution.json.gz";
/// Training on a CPU.
const RESNET: &str = "torch_local/2.15.0_r18_train_w0_s4.pt.trace.json.gz";
/// A step of a server whose work is missing in the trace.
const SGLANG: &str = "tracelens/tests/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz";

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 30), (160, 50)];

/// The state of a newly opened trace of the collection, under a name of its own, whatever folder the
/// collection is in; none without the collection.
fn opened(name: &str, trace: &str, size: (u16, u16)) -> Option<State> {
    let folder = crate::skip::shared("traces", "the first screens of real traces")?;
    let scratch = Scratch::new("mockups");
    let bytes = std::fs::read(folder.join(trace)).expect("a trace of the collection");
    Some(explorer(&scratch.file(&format!("{name}.json.gz"), bytes), size))
}

fn assert_first_screens(name: &str, trace: &str) {
    for size in SIZES {
        let Some(state) = opened(name, trace, size) else { return };
        insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), screen(&state));
        if size != SIZES[0] {
            continue;
        }
        let themes = [
            ("true", theme(Depth::True)),
            ("16", theme(Depth::Ansi16)),
            ("mono", theme(Depth::Mono)),
            ("light", Theme::new(Depth::True, Background::Light, true)),
        ];
        for (depth, theme) in themes {
            insta::assert_snapshot!(format!("{name}-{depth}"), styled(&draw(&state, &theme)));
        }
    }
}

#[test]
fn several_devices_in_training() {
    assert_first_screens("dlrm", DLRM);
}

#[test]
fn a_server_whose_work_runs_later() {
    assert_first_screens("vllm", VLLM);
}

#[test]
fn training_on_a_cpu() {
    assert_first_screens("resnet", RESNET);
}

#[test]
fn a_server_whose_work_is_missing() {
    assert_first_screens("sglang", SGLANG);
}

#[test]
fn a_file_that_is_still_being_read() {
    for size in SIZES {
        let Some(mut state) = opened("dlrm", DLRM, size) else { return };
        state.source.begin(Shown::Snapshot);
        let mib = 1 << 20;
        let progress =
            LoadProgress { read: 428 * mib, total: 995 * mib, events: 1_000, seconds_left: Some(4) };
        send(&mut state, Msg::Progress(progress));
        send(&mut state, Msg::Resize(size.0, size.1));
        insta::assert_snapshot!(format!("reading-{}x{}", size.0, size.1), screen(&state));
    }
}

#[test]
fn a_slow_link() {
    for size in SIZES {
        let Some(state) = opened("dlrm", DLRM, size) else { return };
        let [_, thin, rough] = theme(Depth::True).of_each_detail();
        for (name, theme) in [("thin", thin), ("rough", rough)] {
            insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), text(&draw(&state, &theme)));
        }
    }
}
