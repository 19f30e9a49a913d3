//! The four case studies of the guides, by keys of the explorer alone: which row and which figure give the
//! guide's conclusion. The traces have the figures that the guides print (`tests/generate/guide_cases.py`).

use proftui::app::State;

use super::{explorer, press, screen, selected};

const LOADER: &str = "guide-loader-before.paddle_trace.json.gz";
const LOADER_AFTER: &str = "guide-loader-after.paddle_trace.json.gz";
const SLICE: &str = "guide-slice-grad.paddle_trace.json.gz";
const CONTROL: &str = "guide-control-flow-before.paddle_trace.json.gz";
const CONTROL_AFTER: &str = "guide-control-flow-after.paddle_trace.json.gz";
const CONV: &str = "guide-conv.pt.trace.json.gz";

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// An explorer of a trace after these keys.
fn after(trace: &str, keys: &str, size: (u16, u16)) -> State {
    let mut state = explorer(trace, size);
    press(&mut state, keys);
    state
}

/// The words of the pane's first line that begins with this text, without its mark of unfolding.
fn row(state: &State, start: &str) -> Vec<String> {
    let screen = screen(state);
    let tabs = usize::from(state.geometry().tabs.y);
    let lines = screen.lines().skip(tabs).map(|line| line.trim_start_matches([' ', '▸', '▾']));
    let line = lines.clone().find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no row {start} on the screen:\n{screen}"));
    line.split("  ").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// The text of a row in the column with this title.
fn cell(state: &State, start: &str, title: &str) -> String {
    let titles = row(state, &row_titles(state));
    let at = titles.iter().position(|other| other.trim_end_matches(['▾', '▴']) == title);
    row(state, start)[at.unwrap_or_else(|| panic!("no column {title}: {titles:?}"))].clone()
}

/// The line of the columns' titles.
fn row_titles(state: &State) -> String {
    let line = usize::from(state.geometry().tabs.y) + 1;
    screen(state).lines().nth(line).unwrap_or_default().trim_start().to_owned()
}

/// The name in the pane's first row.
fn first_row(state: &State) -> String {
    let screen = screen(state);
    let tabs = usize::from(state.geometry().tabs.y);
    let line = screen.lines().nth(tabs + 2).unwrap_or_default().trim_start_matches([' ', '▸', '▾']);
    line.split("  ").next().unwrap_or_default().to_owned()
}

/// Keeps the screens of a trace after these keys, and returns the larger one.
fn kept(name: &str, trace: &str, keys: &str) -> State {
    let [small, large] = SIZES.map(|size| {
        let state = after(trace, keys, size);
        insta::assert_snapshot!(format!("case-{name}-{}x{}", size.0, size.1), screen(&state));
        state
    });
    drop(small);
    large
}

/// Without a key, at 80 by 24, the answer says what the guide concludes.
#[test]
fn the_first_sentence_says_what_the_guides_conclude() {
    for (trace, said) in [
        (LOADER, "49 % of steps 3–13 (293.4 ms) the GPU waits for data loading"),
        (SLICE, "60 % of 1.352 s the GPU waits for operators on the CPU: slice_grad/compute"),
        (CONTROL, "; 29 % the host is in calls of 1,200"),
        (CONV, "87 % of 253.8 ms the host computes aten::_slow_conv2d_forward"),
    ] {
        let shown = screen(&explorer(trace, SIZES[0]));
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains(said), "{trace}: {said}\n{shown}");
    }
}

#[test]
fn the_loader_takes_half_of_a_step_and_next_to_nothing_with_workers() {
    let before = kept("loader", LOADER, "4");
    assert!(row(&before, "Data loading").contains(&"49.1%".to_owned()));
    let after = after(LOADER_AFTER, "4", (160, 50));
    assert!(row(&after, "Data loading").contains(&"1.8%".to_owned()));
    // It is the step's own thread that loads.
    let host = kept("loader-host", LOADER, ":host<enter>");
    assert!(row(&host, "MainThread").contains(&"144.1 ms".to_owned()));
}

#[test]
fn slice_grad_computes_on_the_host() {
    let operators = kept("slice-grad", SLICE, "5<tab><space>");
    assert_eq!(first_row(&operators), "slice_grad");
    let own = row(&operators, "slice_grad");
    assert!(own.contains(&"61.7%".to_owned()), "{own:?}");
    assert!(
        own.contains(&"832.6 ms".to_owned()) && own.contains(&"23.45 ms".to_owned()),
        "host and device: {own:?}"
    );
    // Nearly all of it is in `compute`, and none of it waits for the device.
    assert!(row(&operators, "slice_grad/compute").contains(&"830.8 ms".to_owned()));
    let host = kept("slice-grad-host", SLICE, ":host<enter>");
    assert_eq!(cell(&host, "MainThread", "Waiting"), "0 ns");
}

#[test]
fn control_flow_pays_for_copies_on_the_host() {
    let copies = kept("copies", CONTROL, "7<tab>");
    let text = screen(&copies);
    assert!(
        text.contains("All 1,200 copies and memsets: 30.39 ms in calls of the host, 2.142 ms on devices"),
        "{text}"
    );
    assert!(row(&copies, "MEMCPY_DtoH").contains(&"22.66 ms".to_owned()));
    let after = after(CONTROL_AFTER, "7", (160, 50));
    let text = screen(&after);
    assert!(text.contains("All 600 copies and memsets: 14.33 ms in calls of the host"), "{text}");
    // Which operators wait for them.
    let calls = kept("copies-calls", CONTROL, "E<tab><space>");
    assert_eq!(row(&calls, "cudaMemcpy")[1..3], ["yes".to_owned(), "400".to_owned()]);
    assert!(row(&calls, "select_input").contains(&"200".to_owned()));
}

#[test]
fn the_convolution_is_the_slow_one() {
    let operators = kept("conv", CONV, "5<tab>");
    // The guide has 86.6 %, of a time with the range around the model; ours is a share of all operators.
    assert_eq!(first_row(&operators), "aten::_slow_conv2d_forward");
    assert!(row(&operators, "aten::_slow_conv2d_forward").contains(&"92.6%".to_owned()));
    // Its longest call, in the operators that led to it.
    let event = kept("conv-event", CONV, "5<tab><enter>");
    assert_eq!(selected(&event), "aten::_slow_conv2d_forward");
    let caller = kept("conv-caller", CONV, "/thnn_conv2d<enter><enter>");
    assert_eq!(selected(&caller), "aten::thnn_conv2d");
    // By shape, four of the twenty calls take a third of the time.
    let shapes = kept("conv-shapes", CONV, "5<tab>G<space>");
    let text = screen(&shapes);
    assert!(text.contains("[5, 64, 56, 56]"), "{text}");
}
