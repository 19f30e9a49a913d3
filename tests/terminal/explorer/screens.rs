//! What the screen shows: snapshots at common sizes, and laws that hold at every size.

use proftui::app::pane::overlay::{Overlay, PromptKind};
use proftui::app::pane::topics::TOPICS;
use proftui::app::view::lines::LineKind;
use proftui::app::wires::jobs::Kind;
use proftui::app::{Effect, Key, Msg, Region, Session, State, Traces, command, update};
use proftui::ui::Theme;
use proftui::ui::theme::{Background, Depth};
use proftui_base::time::Span;
use proftui_trace::import::{Progress, Request, load, traces};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;

use super::{GPU, draw, explorer, press, screen, send, text, theme};
use crate::scratch::Scratch;

#[test]
fn first_screen() {
    insta::assert_snapshot!("first-80x24", screen(&explorer(GPU, (80, 24))));
    insta::assert_snapshot!("first-200x50", screen(&explorer(GPU, (200, 50))));
}

/// Letters for styles, in the order in which these occur.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The screen as text, then the style of each cell as a letter, a blank for the first one, then the styles.
pub(super) fn styled(buffer: &Buffer) -> String {
    let mut styles: Vec<String> = Vec::new();
    let letter = |at: usize| LETTERS.chars().nth(at).expect("at most 62 styles");
    let mut letters = String::new();
    for line in buffer.content.chunks(buffer.area.width.max(1).into()) {
        let of_cell = |cell: &Cell| {
            let style = format!("{} on {} {:?}", cell.fg, cell.bg, cell.modifier);
            let known = styles.iter().position(|known| *known == style);
            let at = known.unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            at.checked_sub(1).map_or(' ', letter)
        };
        let of_line: String = line.iter().map(of_cell).collect();
        letters += of_line.trim_end();
        letters.push('\n');
    }
    let legend = styles.iter().skip(1).enumerate().map(|(at, style)| format!("{} {style}\n", letter(at)));
    format!("{}\n{letters}\n{}", text(buffer), legend.collect::<String>())
}

/// An event is selected, so that links, details and the selection are on the screen, too.
#[test]
fn every_size_in_every_depth_of_colour() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 50)] {
        let mut state = explorer(GPU, (width, height));
        press(&mut state, "/cutlass<enter>ffss");
        for (name, depth) in [("true", Depth::True), ("16", Depth::Ansi16), ("mono", Depth::Mono)] {
            let buffer = draw(&state, &theme(depth));
            insta::assert_snapshot!(format!("colours-{width}x{height}-{name}"), styled(&buffer));
        }
    }
}

#[test]
fn kernel_and_its_launch() {
    let mut state = explorer(GPU, (120, 36));
    press(&mut state, "}}/cutlass<enter>");
    insta::assert_snapshot!("kernel-120x36", screen(&state));
    press(&mut state, "[");
    insta::assert_snapshot!("launch-120x36", screen(&state));
}

#[test]
fn overlays() {
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "?");
    insta::assert_snapshot!("help-100x30", screen(&state));
    press(&mut state, "<esc>:fit");
    insta::assert_snapshot!("palette-100x30", screen(&state));
    press(&mut state, "<esc>2");
    insta::assert_snapshot!("overview-100x30", screen(&state));
    press(&mut state, ":quality<enter>");
    insta::assert_snapshot!("quality-100x30", screen(&state));
}

/// Two captures of a directory, hours apart, and the list to choose from.
#[test]
fn traces_of_a_directory() {
    let folder = Scratch::new("traces");
    for (name, pid, hour) in [("resnet50_train.json", 66, 0), ("llama_decode.json", 77, 4)] {
        let ts = 1_751_410_800_000_000_u64 + hour * 3_600_000_000;
        let events = (0..20).map(|at| {
            let ts = ts + at * 100;
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":{ts},"dur":80,"pid":{pid},"tid":9}}"#)
        });
        folder.file(name, format!("[{}]", events.collect::<Vec<_>>().join(",")));
    }
    let found = traces(&Request::new([folder.path("")]), &Progress::default()).expect("two traces");
    let mut state =
        State::new(Session::new(load(&found[0].request, &Progress::default()).expect("loads")), (80, 24));
    send(&mut state, Msg::Traces(Traces::with_file(found, None)));
    press(&mut state, "T");
    insta::assert_snapshot!("traces-80x24", screen(&state));
    press(&mut state, "<esc>");
    send(&mut state, Msg::Resize(200, 50));
    press(&mut state, "Tj");
    insta::assert_snapshot!("traces-200x50", screen(&state));
}

#[test]
fn grouped_kernels() {
    for (name, size) in [("80x24", (80, 24)), ("160x50", (160, 50))] {
        let mut state = explorer(GPU, size);
        press(&mut state, "6<tab>G<space>jjj");
        insta::assert_snapshot!(format!("grouped-kernels-{name}"), screen(&state));
    }
}

/// The trace of the guide's case of control flow: 1,200 small copies.
#[test]
fn copies_with_the_time_of_their_calls() {
    for (name, size) in [("80x24", (80, 24)), ("160x50", (160, 50))] {
        let mut state = explorer("guide-control-flow-before.paddle_trace.json.gz", size);
        press(&mut state, "7<tab><space>j");
        insta::assert_snapshot!(format!("copies-{name}"), screen(&state));
        press(&mut state, "VV");
        insta::assert_snapshot!(format!("chart-copies-{name}"), screen(&state));
    }
}

#[test]
fn charts() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "6<tab>V");
    insta::assert_snapshot!("chart-kernel-80x24", screen(&state));
    press(&mut state, "V");
    insta::assert_snapshot!("chart-tensor-cores-80x24", screen(&state));
    let mut state = explorer(GPU, (200, 50));
    press(&mut state, "5<tab>VVVjj");
    insta::assert_snapshot!("chart-operator-200x50", screen(&state));
    let mut state = explorer(GPU, (100, 30));
    press(&mut state, "9<tab>Voj");
    insta::assert_snapshot!("chart-memory-100x30", screen(&state));
    press(&mut state, ":pane.steps<enter>VV");
    insta::assert_snapshot!("chart-steps-100x30", screen(&state));
}

#[test]
fn devices_with_occupancy() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut state = explorer(GPU, (width, height));
        press(&mut state, "3<tab>");
        insta::assert_snapshot!(format!("device-{width}x{height}"), screen(&state));
    }
}

#[test]
fn calls_with_the_operators_and_lines_that_make_them() {
    for (name, size) in [("80x24", (80, 24)), ("160x50", (160, 50))] {
        let mut state = explorer(GPU, size);
        press(&mut state, "E<tab><space>j<space>");
        insta::assert_snapshot!(format!("calls-{name}"), screen(&state));
        press(&mut state, "V");
        insta::assert_snapshot!(format!("chart-calls-{name}"), screen(&state));
    }
}

#[test]
fn event_time_by_category_and_phase() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut state = explorer(GPU, (width, height));
        press(&mut state, ":pane.stages<enter><tab>");
        insta::assert_snapshot!(format!("stages-{width}x{height}"), screen(&state));
        press(&mut state, "V");
        insta::assert_snapshot!(format!("chart-stages-{width}x{height}"), screen(&state));
        press(&mut state, "Vj");
        insta::assert_snapshot!(format!("chart-stages-by-phase-{width}x{height}"), screen(&state));
    }
}

#[test]
fn charts_are_read_without_colours_and_beyond_ascii() {
    let mut state = explorer(GPU, (100, 30));
    for keys in ["6<tab>V", "V", "5VVV", ":pane.memory<enter>V", "o", ":pane.steps<enter>V", "V"] {
        press(&mut state, keys);
        assert!(state.table().expect("a table").chart().is_some(), "{keys}");
        let ascii = text(&draw(&state, &Theme::new(Depth::Mono, Background::Dark, false)));
        assert!(ascii.is_ascii() && !ascii.replace("? help", "").contains('?'), "{keys}: {ascii}");
    }
    for part in ["1 Computation", "2 Overlap", "5 Device idle"] {
        let mono = text(&draw(&state, &theme(Depth::Mono)));
        assert!(mono.contains(part), "{part}: {mono}");
    }
}

#[test]
fn a_slow_disk_is_named_until_the_arguments_are_there() {
    let mut state = explorer(GPU, (100, 40));
    press(&mut state, "/cutlass");
    let effects = update(&mut state, Msg::Key(Key::Enter));
    let job = effects.into_iter().find_map(|effect| match effect {
        Effect::Run(job) => Some(job),
        _ => None,
    });
    let shows = |state: &State, text: &str| screen(state).contains(text);
    assert!(!shows(&state, "reading …") && !shows(&state, "External id"));
    update(&mut state, Msg::IsSlow(Kind::Event));
    assert!(shows(&state, "reading …"));
    update(&mut state, Msg::Done(Box::new(job.expect("an event is to be read").run())));
    assert!(!shows(&state, "reading …") && shows(&state, "External id"), "{}", screen(&state));
}

#[test]
fn other_producers() {
    insta::assert_snapshot!(
        "paddle-100x30",
        screen(&explorer("paddle-lenet-cpu.paddle_trace.json.gz", (100, 30)))
    );
    insta::assert_snapshot!("torch-100x30", screen(&explorer("torch-cnn-cpu.pt.trace.json.gz", (100, 30))));
    insta::assert_snapshot!("hostile-100x30", screen(&explorer("hostile-names.json.gz", (100, 30))));
}

#[test]
fn ascii_is_ascii_and_mono_has_no_colour() {
    for trace in [GPU, "hostile-names.json.gz"] {
        let mut state = explorer(trace, (100, 30));
        press(&mut state, "l");
        let ascii = text(&draw(&state, &Theme::new(Depth::Ansi16, Background::Dark, false)));
        assert!(ascii.is_ascii(), "{}", ascii.chars().find(|c| !c.is_ascii()).unwrap_or(' '));
        let mono = draw(&state, &theme(Depth::Mono));
        assert!(mono.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    }
}

#[test]
fn hostile_names_put_nothing_forbidden_into_cells() {
    let mut state = explorer("hostile-names.json.gz", (120, 40));
    let forbidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    for key in [
        "l", "l", "j", "l", "j", "j", "l", "2", "3", "1", "<enter>", "j", "j", "q", "?", "<esc>", "/e",
        "<enter>", "n", ":", "<esc>",
    ] {
        press(&mut state, key);
        let shown = screen(&state);
        assert!(!shown.contains(forbidden), "{key}: {:?}", shown.chars().find(|&c| forbidden(c)));
    }
}

#[test]
fn every_size_draws() {
    let mut state = explorer(GPU, (80, 24));
    for keys in [
        "",
        "l",
        "<tab>",
        "?",
        "<esc>:a",
        "<esc>/a",
        "<esc><esc>p",
        "o",
        "6V",
        "V",
        "5VVV",
        "9V",
        ":pane.steps<enter>V",
        "V",
    ] {
        press(&mut state, keys);
        for width in 0..=40 {
            for height in 0..=12 {
                send(&mut state, Msg::Resize(width, height));
                let _ = screen(&state);
            }
        }
        send(&mut state, Msg::Resize(1000, 400));
        let _ = screen(&state);
    }
}

/// Draws the state in each detail at every small size and at a huge one.
fn draw_at_every_size(state: &mut State) {
    let [full, thin, rough] = theme(Depth::Indexed256).of_each_detail();
    let sizes = (0..=40).flat_map(|width| (0..=12).map(move |height| (width, height)));
    for (width, height) in sizes.chain([(1000, 400)]) {
        send(state, Msg::Resize(width, height));
        let _ = (draw(state, &full), draw(state, &thin), draw(state, &rough));
    }
}

#[test]
fn a_rough_screen_has_the_line_with_the_focus_and_says_what_it_leaves_out() {
    let mut state = explorer(GPU, (120, 40));
    // Links of a selected event are left out, too.
    press(&mut state, "/cutlass<enter>f<esc>");
    let [_, thin, rough] = theme(Depth::Indexed256).of_each_detail();
    let lines =
        |theme: &Theme| -> Vec<String> { text(&draw(&state, theme)).lines().map(String::from).collect() };
    let (thin, rough) = (lines(&thin), lines(&rough));
    let has = |lines: &[String], text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has(&rough, "slow link: these lanes are drawn when no key repeats"), "{rough:#?}");
    assert!(!has(&thin, "slow link"));
    let area = state.geometry().timeline;
    for (y, number) in (usize::from(area.y)..).zip(state.visible_lines()) {
        let Some(line) = state.timeline.lines().get(number) else { break };
        if number == state.timeline.focus() || matches!(line.kind, LineKind::Group(_)) {
            assert_eq!(rough[y], thin[y]);
        } else {
            let events: String = rough[y].chars().skip(area.x.into()).collect();
            assert!(events.trim().is_empty() || events.starts_with("slow link"), "{events}");
        }
    }
}

#[test]
fn every_pane_draws_at_every_size() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "l<tab>");
    let mut shown = Vec::new();
    press(&mut state, "/e<enter>");
    // The pane as a table, as a chart beside another, and over most of the screen.
    for keys in ["", "v|", "o"] {
        for tab in TOPICS.iter().flat_map(|topic| topic.tabs) {
            press(&mut state, &format!(":{}<enter>{keys}", command::of_pane(tab.pane).id));
            shown.push(state.panes.shown());
            draw_at_every_size(&mut state);
            send(&mut state, Msg::Resize(80, 24));
            press(&mut state, if keys == "o" { "oo" } else { keys });
            if state.panes.region() != Region::Pane {
                press(&mut state, "<tab>");
            }
        }
    }
    assert!(TOPICS.iter().flat_map(|topic| topic.tabs).all(|tab| shown.contains(&tab.pane)), "{shown:?}");
}

#[test]
fn every_overlay_draws_at_every_size() {
    for (keys, is_there) in [
        ("?", (|overlay| matches!(overlay, Overlay::Help(_))) as fn(&Overlay) -> bool),
        (":a", |overlay| matches!(overlay, Overlay::Prompt(prompt) if prompt.kind == PromptKind::Palette)),
        ("/aten", |overlay| matches!(overlay, Overlay::Prompt(prompt) if prompt.kind == PromptKind::Search)),
        ("g12ms", |overlay| matches!(overlay, Overlay::Prompt(prompt) if prompt.kind == PromptKind::Time)),
        (
            "6<tab>/gemm",
            |overlay| matches!(overlay, Overlay::Prompt(prompt) if prompt.kind == PromptKind::Filter),
        ),
        ("B", |overlay| matches!(overlay, Overlay::List(_))),
    ] {
        let mut state = explorer(GPU, (80, 24));
        press(&mut state, keys);
        assert!(state.dialog.overlay().is_some_and(is_there), "{keys}: {:?}", state.dialog.overlay());
        draw_at_every_size(&mut state);
    }
}

/// A trace of slices that are far shorter than a cell, with one long gap between them.
fn sparse() -> String {
    let slice =
        |ts: u32| format!(r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts}.0,"dur":0.5}}"#);
    let starts = (0..1000).map(|i| i * 100).chain((2000..3000).map(|i| i * 100));
    format!("[{}]", starts.map(slice).collect::<Vec<_>>().join(","))
}

#[test]
fn what_is_mostly_idle_looks_mostly_idle() {
    let scratch = Scratch::new("sparse");
    let mut state = explorer(&scratch.file("sparse.json", sparse()), (120, 20));
    let row = state.session.device_rows[0];
    state.timeline.show(Span { start: 0, end: 300_000_000 });
    assert!(state.timeline.reveal(&state.session.trace, row));
    let line = state.timeline.focus();
    let y = state.geometry().timeline.y
        + state.visible_lines().position(|shown| shown == line).expect("shown") as u16;
    let buffer = draw(&state, &theme(Depth::Indexed256));
    let area = state.geometry().timeline;
    let cells: Vec<String> =
        (area.x..area.x + area.width).map(|x| buffer[(x, y)].symbol().to_owned()).collect();
    assert!(
        !cells.iter().any(|cell| cell == "█" || cell == "▇"),
        "a slice of half a percent of a cell never fills it"
    );
    let idle = cells[cells.len() * 2 / 5..cells.len() * 3 / 5].iter();
    assert!(idle.into_iter().all(|cell| cell == " "), "the gap is not painted over: {cells:?}");
}
