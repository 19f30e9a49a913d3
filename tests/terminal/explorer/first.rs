//! The first screen: the order of lanes, what is merged and folded, the shares beside names.

use proftui::app::State;
use proftui::app::view::lines::LineKind;

use super::{GPU, explorer, key_of, press, screen, selected};
use crate::scratch::Scratch;

/// An explorer of Chrome events on a screen of 80 by 24.
fn of_events(name: &str, events: &str) -> State {
    let folder = Scratch::new(name);
    let file = folder.file("trace.json", format!("[{events}]"));
    explorer(&file, (80, 24))
}

fn slice(cat: &str, name: &str, (pid, tid): (u32, u32), (ts, dur): (u32, u32), correlation: u32) -> String {
    let args = format!(r#""args":{{"correlation":{correlation},"device":{pid},"stream":{tid}}}"#);
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},{args}}},"#
    )
}

/// Two processes, of which the later one launches, from its second thread; eight devices with `streams`
/// streams each, of which later ones have more work.
fn fleet(streams: u32) -> String {
    let mut events = slice("cpu_op", "idle_process", (100, 100), (0, 900), 0);
    events += &slice("cpu_op", "main_thread", (200, 200), (0, 900), 0);
    for device in 0..8 {
        for stream in 1..=streams {
            let n = 100 * device + stream;
            events += &slice("cuda_runtime", "cudaLaunchKernel", (200, 300), (n, 1), n);
            events +=
                &slice("kernel", &format!("k{stream}"), (device, stream), (1000 + 50 * stream, stream), n);
        }
    }
    events.trim_end_matches(',').to_owned()
}

/// The lines' titles: of groups, and of lanes with their first rows.
fn titles(state: &State) -> Vec<String> {
    let trace = &state.session.trace;
    let title = |kind: LineKind| match kind {
        LineKind::Group(group) => trace.group_title(&trace.groups[group]),
        LineKind::Idle(_) => "idle".into(),
        LineKind::Merged(_) => "merged".into(),
        LineKind::More(_) => "more".into(),
        LineKind::Others => "other".into(),
        LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
            trace.lane_title(&trace.lanes[lane])
        }
    };
    state.timeline.lines().list().iter().filter(|line| line.is_head).map(|line| title(line.kind)).collect()
}

#[test]
fn devices_come_first_and_then_the_thread_that_launches() {
    let state = of_events("order", &fleet(2));
    let expected = "GPU 0,idle,stream 2,stream 1,GPU 1,GPU 2,GPU 3,process 200,thread 300,thread 200,\
                    GPU 4,GPU 5,GPU 6,GPU 7,process 100,thread 100";
    let (mut found, mut wanted) =
        (titles(&state), expected.split(',').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(found[..9], wanted[..9], "{found:?}");
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted, "nothing is lost");
}

#[test]
fn the_streams_of_a_device_with_many_are_merged_and_shown_by_a_key() {
    let mut state = of_events("streams", &fleet(9));
    let found = titles(&state);
    assert_eq!(found[..7].join(","), "GPU 0,idle,stream 9,stream 8,stream 7,stream 6,merged");
    assert!(screen(&state).contains("5 more streams"), "{}", screen(&state));
    let merged =
        state.timeline.lines().find(LineKind::Merged(state.session.order.groups[0])).expect("a line");
    state.timeline.focus_on(merged);
    // Events of several streams follow one another on one line.
    state.timeline.put_cursor(0);
    press(&mut state, "<esc>0");
    let mut names = Vec::new();
    for _ in 0..5 {
        press(&mut state, "l");
        names.push(selected(&state));
        assert_eq!(state.timeline.focus(), merged, "the line stays");
    }
    assert_eq!(names, ["k1", "k2", "k3", "k4", "k5"]);
    press(&mut state, "l");
    assert!(screen(&state).contains("no later event"), "{}", screen(&state));
    press(&mut state, "hh");
    assert_eq!(selected(&state), "k3");
    press(&mut state, "<space>");
    assert_eq!(titles(&state)[..11].join(",").matches("stream").count(), 9, "each has its line");
    let join = key_of("lane.join");
    press(&mut state, &join);
    assert_eq!(titles(&state)[..4].join(","), "GPU 0,idle,merged,GPU 1");
    assert!(screen(&state).contains("9 streams"), "{}", screen(&state));
    press(&mut state, &join);
    assert_eq!(titles(&state)[..11].join(",").matches("stream").count(), 9);
}

#[test]
fn rows_without_events_on_the_screen_take_no_line() {
    let mut events = String::new();
    for depth in 0..6 {
        events += &slice("cpu_op", &format!("deep{depth}"), (1, 1), (depth, 100 - 2 * depth), 0);
    }
    events += &slice("cpu_op", "flat", (1, 1), (1000, 500), 0);
    events += &slice("cpu_op", "other", (1, 2), (0, 1500), 0);
    let mut state = of_events("depths", events.trim_end_matches(','));
    let lines = |state: &State| state.visible_lines().count();
    assert_eq!(lines(&state), 6 + 1);
    press(&mut state, "/flat<enter>f");
    assert_eq!(lines(&state), 1 + 1, "{}", screen(&state));
    // The focus goes from line to line of the screen.
    press(&mut state, "j");
    assert_eq!(selected(&state), "other");
    press(&mut state, "k");
    assert_eq!(selected(&state), "flat");
    press(&mut state, "/deep5<enter>");
    assert_eq!(lines(&state), 6 + 1, "a jump brings them back");
    // A pan takes no line away, though no event of these rows is on the screen any more.
    press(&mut state, "fssssdddd");
    assert_eq!(lines(&state), 6 + 1, "{}", screen(&state));
}

#[test]
fn a_lane_keeps_its_name_when_its_first_rows_are_scrolled_off() {
    let mut events = String::new();
    for depth in 0..20 {
        events += &slice("cpu_op", &format!("deep{depth}"), (1, 1), (depth, 1000 - 2 * depth), 0);
    }
    events += &slice("cpu_op", "other", (1, 2), (0, 1000), 0);
    let mut state = of_events("sticky", events.trim_end_matches(','));
    press(&mut state, "<end>");
    let shown = screen(&state);
    let top = shown.lines().nth(usize::from(state.geometry().timeline.y)).expect("a line");
    assert!(top.contains("thread 1") && top.contains("deep"), "{shown}");
}

#[test]
fn a_pane_takes_the_lines_that_it_needs() {
    let mut state = explorer(GPU, (80, 24));
    press(&mut state, "1");
    let shown = screen(&state);
    assert_eq!(state.geometry().pane.height, 1, "{shown}");
    assert!(shown.contains("nothing is selected"), "{shown}");
    press(&mut state, "l");
    assert!(state.geometry().pane.height >= 5, "{}", screen(&state));
}
