//! The mouse: clicks, the wheel, dragging.

use proftui::app::input::mouse::{Mouse, MouseAction};
use proftui::app::{Effect, Msg, Pane, Region, State};

use super::{GPU, explorer, press, screen, selected, send};

fn mouse(state: &mut State, action: MouseAction, (x, y): (u16, u16)) -> Vec<Effect> {
    send(state, Msg::Mouse(Mouse { action, x, y }))
}

/// The position of a text on the screen.
fn find(state: &State, text: &str) -> (u16, u16) {
    let screen = screen(state);
    let (y, line) = screen
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(text))
        .unwrap_or_else(|| panic!("{text}: {screen}"));
    let x = line[..line.find(text).expect("the text")].chars().count();
    (x as u16 + 1, y as u16)
}

#[test]
fn a_click_selects_the_event_and_focuses_its_line() {
    let mut state = explorer(GPU, (160, 45));
    let at = find(&state, "ProfilerStep#12");
    mouse(&mut state, MouseAction::Press, at);
    assert_eq!(selected(&state), "ProfilerStep#12");
    let label = find(&state, "stream 20");
    mouse(&mut state, MouseAction::Press, label);
    assert!(screen(&state).lines().nth(usize::from(label.1)).is_some_and(|line| line.contains("stream 20")));
    let focused = state.timeline.focus();
    press(&mut state, "l");
    assert_eq!(state.timeline.focus(), focused, "the next event is one of that line");
}

#[test]
fn the_wheel_zooms_about_the_pointer_and_scrolls_the_pane() {
    let mut state = explorer(GPU, (160, 45));
    let area = state.geometry().timeline;
    let (x, y) = (area.x + area.width / 2, area.y + 3);
    let before = state.timeline.viewport();
    mouse(&mut state, MouseAction::WheelUp, (x, y));
    assert!(
        state.timeline.viewport().len() < before.len()
            && state.timeline.viewport().start > before.start
            && state.timeline.viewport().end < before.end
    );
    mouse(&mut state, MouseAction::WheelDown, (x, y));
    assert!((state.timeline.viewport().len() - before.len()).abs() < before.len() / 20);
    let pane = state.geometry().pane;
    mouse(&mut state, MouseAction::WheelDown, (pane.x + 5, pane.y + 1));
    assert!(state.panes.region() == Region::Pane && state.table().is_some_and(|table| table.line > 0));
}

#[test]
fn clicks_show_panes_sort_by_columns_and_go_to_findings() {
    let mut state = explorer(GPU, (160, 45));
    let click = |state: &mut State, text: &str| {
        let at = find(state, text);
        mouse(state, MouseAction::Press, at);
    };
    click(&mut state, "5 Names");
    assert_eq!((state.panes.shown().title(), state.panes.region()), ("Operators", Region::Pane));
    click(&mut state, "Kernels");
    assert_eq!(state.panes.shown().title(), "Kernels");
    for is_ascending in [false, true] {
        click(&mut state, "Average");
        let order = state.table().and_then(|pane| pane.rows.order);
        let average = state.table().and_then(|pane| pane.table.column("average"));
        assert_eq!(order, average.map(|at| (at, is_ascending)));
    }
    let row = find(&state, "Average");
    mouse(&mut state, MouseAction::Press, (row.0, row.1 + 5));
    assert!(state.table().is_some_and(|pane| pane.line > 1), "{}", screen(&state));
    click(&mut state, "!1");
    assert!(state.panes.shown() == Pane::Details && state.selected.selection().is_some());
    click(&mut state, "synthetic-gpu");
    assert!(state.timeline.viewport().len() >= state.session.trace.main_span.len());
}

#[test]
fn dragging_marks_a_stretch_whatever_else_the_mouse_does() {
    let mut state = explorer(GPU, (160, 45));
    let area = state.geometry().timeline;
    let y = area.y + 5;
    mouse(&mut state, MouseAction::Press, (area.x + 20, y));
    mouse(&mut state, MouseAction::Drag, (area.x + 60, y));
    mouse(&mut state, MouseAction::Drag, (area.x + 80, 0));
    mouse(&mut state, MouseAction::Release, (area.x + 80, 0));
    let stretch = state.stretch.expect("a stretch");
    let share = stretch.span.len() as f64 / state.timeline.viewport().len() as f64;
    assert!((0.4..0.6).contains(&share) && !stretch.is_open, "{share}");
    for y in 0..46 {
        for x in (0..162).step_by(9) {
            for action in [
                MouseAction::Press,
                MouseAction::Drag,
                MouseAction::Release,
                MouseAction::WheelUp,
                MouseAction::WheelDown,
            ] {
                mouse(&mut state, action, (x, y));
            }
        }
    }
    for overlay in ["?", ":", "/", "'"] {
        press(&mut state, overlay);
        mouse(&mut state, MouseAction::WheelDown, (10, 10));
        mouse(&mut state, MouseAction::Press, (200, 200));
        press(&mut state, "<esc>");
    }
    screen(&state);
}
