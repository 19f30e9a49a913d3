//! Search by words and fields, and what is shown of the events that were not found.

use proftui::app::pane::overlay::Overlay;
use proftui::app::session::Selection;
use proftui::app::{Pane, Region, State};
use proftui_base::fmt;
use proftui_trace::model::{Category, SliceId};

use super::{GPU, explorer, press, screen, selected};

/// The names of the events found, without repeats.
fn found(state: &State) -> Vec<String> {
    let search = state.finding.search().expect("a search");
    let mut names: Vec<String> =
        search.hits.iter().map(|id| state.session.trace.name(id).to_string()).collect();
    names.sort();
    names.dedup();
    names
}

fn count(state: &State) -> usize {
    state.finding.search().expect("a search").hits.len()
}

/// Searches for what is typed, in a fresh explorer.
fn search(typed: &str) -> State {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, &format!("/{typed}<enter>"));
    state
}

#[test]
fn fields_are_met_by_all_events_found_and_by_no_other() {
    let all = explorer(GPU, (120, 40));
    let trace = &all.session.trace;
    let stream = |id: SliceId| trace.lane_title(&trace.lanes[trace.lane_of(id)]);
    let step = trace.steps.iter().find(|step| step.number == 11).expect("step 11");
    let cases: [(&str, &dyn Fn(SliceId) -> bool); 7] = [
        ("cat:kernel", &|id| trace.slices.category(id) == Category::Kernel),
        ("dur>100us cat:kernel", &|id| {
            trace.slices.category(id) == Category::Kernel && trace.slices.dur[id] > 100_000
        }),
        ("cat:kernel not stream:7", &|id| {
            trace.slices.category(id) == Category::Kernel && stream(id) != "stream 7"
        }),
        ("lane:loader", &|id| stream(id).to_lowercase().contains("loader")),
        ("step:11 cat:operator", &|id| {
            step.span.contains(trace.slices.start[id])
                && trace.slices.category(id).name().to_lowercase().contains("operator")
        }),
        ("re:^aten::(mm|addmm)$", &|id| ["aten::mm", "aten::addmm"].contains(&trace.name(id).as_str())),
        ("name:AddMM not name:backward", &|id| {
            let name = trace.name(id).as_str().to_lowercase();
            name.contains("addmm") && !name.contains("backward")
        }),
    ];
    for (typed, is_it) in cases {
        let state = search(typed);
        let mut hits: Vec<SliceId> = state.finding.search().expect(typed).hits.iter().collect();
        hits.sort_unstable();
        let wanted: Vec<SliceId> = trace.slices.ids().iter().filter(|&id| is_it(id)).collect();
        assert!(!wanted.is_empty(), "{typed}");
        assert_eq!(hits, wanted, "{typed}");
    }
}

#[test]
fn arguments_are_read_again() {
    let mut state = search("cat:kernel arg:stream=20");
    assert!(found(&state).iter().all(|name| name.contains("nccl")), "{:?}", found(&state));
    let all = count(&state);
    assert!(all > 0);
    press(&mut state, "<esc><esc>/cat:kernel arg:stream<enter>");
    assert!(count(&state) > all, "any value");
    press(&mut state, "<esc><esc>/cat:kernel not arg:stream=20<enter>");
    assert!(count(&state) > 0 && !found(&state).iter().any(|name| name.contains("nccl")));
}

#[test]
fn the_prompt_counts_while_one_types_and_says_what_is_wrong() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/cat:kernel");
    let kernels = search("cat:kernel");
    let events = fmt::counted(count(&kernels) as u64, "event") + ", ";
    assert!(screen(&state).contains(&events), "{}", screen(&state));
    press(&mut state, " dur>5");
    assert!(screen(&state).contains("\"5\" is no time in ns, us, ms or s"), "{}", screen(&state));
    press(&mut state, "0us");
    assert!(!screen(&state).contains(&events), "{}", screen(&state));
    press(&mut state, "<enter>");
    assert!(count(&state) > 0 && count(&state) < count(&kernels));
}

#[test]
fn an_unknown_field_is_refused_while_one_types() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/foo>3");
    assert!(screen(&state).contains("no field \"foo\""), "{}", screen(&state));
    press(&mut state, "<enter>");
    assert!(state.finding.search().is_none() && screen(&state).contains("no field \"foo\""));
}

#[test]
fn groups_firsts_and_gaps_are_listed() {
    let mut state = search("cat:kernel by:name");
    assert!(screen(&state).contains("572 events in 25 groups, 46.00 ms in all."), "{}", screen(&state));
    assert_eq!((state.panes.shown(), state.panes.region()), (Pane::Found, Region::Pane));
    let of_host = search("cat:operator by:name");
    assert!(screen(&of_host).contains("in all; what lies in each other counts each time."));
    press(&mut state, "<enter>");
    assert!(selected(&state).contains("nccl"), "the longest of the first group");
    let mut state = search("top:3 cat:kernel step:11");
    assert!(screen(&state).contains("18.12 ms  1.001 ms    11"), "{}", screen(&state));
    assert_eq!(count(&state), 3);
    // Moving shows the event, and the enter key stays there.
    let dur = |state: &State| state.selected.slice().map(|id| state.session.trace.slices.dur[id]);
    press(&mut state, "<down>");
    assert_eq!((dur(&state), state.panes.shown()), (Some(996_348), Pane::Found));
    press(&mut state, "<enter>");
    assert_eq!((dur(&state), state.panes.shown()), (Some(996_348), Pane::Details));
    // What was found is listed again, or another search.
    press(&mut state, ";");
    assert_eq!(state.panes.shown(), Pane::Found);
    press(&mut state, "<esc>/cutlass<enter>");
    assert_eq!(state.table().map(|pane| pane.rows.len()), Some(205));
    press(&mut state, "<esc><esc><esc><esc>");
    assert!(state.table().is_none() && state.finding.search().is_none());
    let mut state = search("cause:data");
    assert!(screen(&state).contains("4 gaps, 12.30 ms in all."), "{}", screen(&state));
    press(&mut state, "<enter>");
    assert!(matches!(state.selected.selection(), Some(Selection::Idle(_, gap)) if gap.len() > 9_000_000));
}

#[test]
fn a_list_of_what_was_found_lasts_until_another_search() {
    let mut state = search("cutlass");
    assert_ne!(state.panes.shown(), Pane::Found, "not asked for");
    press(&mut state, ";>2");
    let first = state.table().and_then(|pane| pane.row(0)?.longest);
    let trace = &state.session.trace;
    let longest = trace.slices.ids().iter().filter(|&id| trace.name(id).as_str().contains("cutlass"));
    assert_eq!(first.map(|id| trace.slices.dur[id]), longest.map(|id| trace.slices.dur[id]).max());
    press(&mut state, "<esc>1/nccl<enter>;");
    let all = state.finding.search().map(|search| search.hits.len());
    assert_eq!(state.table().map(|pane| pane.rows.len()), all, "of the search done last");
}

#[test]
fn a_search_finds_kernels_by_their_short_names() {
    let found = found(&search("softmax forward bf16"));
    assert!(!found.is_empty() && found.iter().all(|name| name.contains("SoftMaxForward")), "{found:?}");
}

#[test]
fn others_are_dimmed_or_hidden() {
    let mut state = search("cat:kernel stream:20");
    let name = selected(&state);
    press(&mut state, "0<esc>");
    let shown = screen(&state);
    press(&mut state, "&");
    assert!(screen(&state).contains("are dimmed"), "{}", screen(&state));
    press(&mut state, "&");
    let hidden = screen(&state);
    let lines = |screen: &str, lane: &str| {
        screen.lines().find(|line| line.contains(lane)).expect(lane).chars().skip(40).collect::<String>()
    };
    assert!(!lines(&shown, "stream 7 ").trim().is_empty());
    let blank = lines(&hidden, "stream 7 ").replace(['│', ' '], "");
    assert!(blank.is_empty(), "{hidden}");
    assert_eq!(lines(&hidden, "stream 20"), lines(&shown, "stream 20"), "{name}");
    press(&mut state, "&");
    assert_eq!(lines(&screen(&state), "stream 7 "), lines(&shown, "stream 7 "));
}

#[test]
fn the_palette_finds_commands_by_meaning_and_the_help_by_words() {
    let first = |typed: &str| {
        let mut state = explorer(GPU, (120, 40));
        press(&mut state, &format!(":{typed}"));
        let Some(Overlay::Prompt(prompt)) = state.dialog.overlay() else { panic!("no palette") };
        prompt.candidates.iter().take(4).map(|candidate| candidate.title.to_string()).collect::<Vec<_>>()
    };
    for (typed, title) in
        [("longest", "Select the longest kernel"), ("clipboard", "Copy a pane's row"), ("gpu", "Kernels")]
    {
        assert!(first(typed).iter().any(|found| found.contains(title)), "{typed}: {:?}", first(typed));
    }
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, ":");
    let Some(Overlay::Prompt(prompt)) = state.dialog.overlay() else { panic!("no palette") };
    assert!(prompt.candidates.len() > 100, "all are offered before anything is typed");
    press(&mut state, "<esc>?bookmark");
    let shown = screen(&state);
    assert!(shown.contains("Mark the time of the cursor") && !shown.contains("Zoom in"), "{shown}");
    press(&mut state, "zzz");
    assert!(screen(&state).contains("no command has these words"), "{}", screen(&state));
    press(&mut state, "<backspace><backspace><backspace>?");
    assert!(!state.dialog.is_open());
}

#[test]
fn the_longest_event_and_the_next_of_its_name() {
    let mut state = explorer(GPU, (120, 40));
    press(&mut state, "/cutlass<enter>z");
    let trace = &state.session.trace;
    let id = state.selected.slice().expect("a kernel");
    let row = trace.row_of(id);
    let longest = trace.rows[row].slices().iter().map(|id| trace.slices.dur[id]).max();
    assert_eq!(Some(trace.slices.dur[id]), longest);
    let name = selected(&state);
    press(&mut state, "<esc><esc>");
    press(&mut state, "z*");
    assert_eq!(found(&state), [name]);
}
