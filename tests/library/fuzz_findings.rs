//! Regression tests for what fuzzing found, each with the smallest input that showed it.

use std::fmt::Write;

use proftui::app::{Key, Msg, Session, State, update};
use proftui::ui::theme::{Background, Depth};
use proftui::ui::{self, Theme};
use proftui_insight::compat::{fluid, visualdl};
use proftui_trace::import::{EventText, Loaded, Progress, Request, load_bytes};
use proftui_trace::model::SliceId;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

fn load(text: &[u8], threads: usize, chunk: Option<usize>, is_tolerant: bool) -> Loaded {
    let request = Request { threads: Some(threads), chunk, is_tolerant, ..Request::default() };
    load_bytes(text, &request, &Progress::default()).expect("a trace")
}

/// Asserts that the model is the same whatever the chunk size and number of threads.
fn chunks_make_no_difference(text: &[u8], chunks: impl Iterator<Item = usize>) {
    let want = load(text, 1, None, true).trace.digest();
    for chunk in chunks {
        for is_tolerant in [false, true] {
            assert_eq!(load(text, 1, Some(chunk), is_tolerant).trace.digest(), want, "chunks of {chunk}");
        }
    }
}

#[test]
fn the_example_of_damage_is_whole_at_a_chunks_end() {
    let text =
        br#"[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"{"device": "cpu"}","ts":2,"dur":5},
        {"ph":"X","name":"c","ts":9,"dur":1}]"#;
    chunks_make_no_difference(text, 3..text.len());
}

#[test]
fn a_byte_order_mark_may_be_cut() {
    chunks_make_no_difference(b"\xef\xbb\xbf[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}]", 1..4);
}

#[test]
fn a_chunk_may_end_where_the_file_does() {
    for tail in ["1e", "12", "tru", "{\"ph\":1"] {
        let text = format!("[{{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}},{tail}");
        chunks_make_no_difference(text.as_bytes(), 1..text.len() + 2);
    }
}

#[test]
fn a_way_on_after_damage_may_begin_with_many_blanks() {
    let blanks = " ".repeat(100);
    let text = format!(
        r#"[{{"ph":"X","name":"a","ts":1,"dur":1}},{{"ph":"X",[1}}{blanks},{{"ph":"X","name":"b","ts":3,"dur":1}},{{"ph":"X","name":"c","ts":5,"dur":1}}]"#
    );
    assert_eq!(load(text.as_bytes(), 1, None, false).trace.slices.len(), 3);
    chunks_make_no_difference(text.as_bytes(), 1..text.len() + 2);
}

/// A parsed chunk that cannot be used makes the following ones useless until its thread's event builder
/// starts afresh; if the first chunk after that cannot be used either, the second must not be taken for the
/// successor of what was used before.
#[test]
fn chunks_dropped_twice_leave_no_wrong_names() {
    let text = include_bytes!("findings/chunks-dropped-twice.json");
    let want = load(text, 1, None, true).trace.digest();
    for _ in 0..20 {
        for chunk in (64..600).step_by(7) {
            assert_eq!(load(text, 2, Some(chunk), false).trace.digest(), want, "chunks of {chunk}");
        }
    }
}

/// Offsets beyond what a float resolves leave a slice its absolute start; beside relative ones the order of
/// equal slices is still the file's.
#[test]
fn equal_slices_keep_the_files_order() {
    let event = |start: &str, id: u32| {
        format!(
            r#"{{"name":"k","pid":"GPU 0","tid":"stream 7","ts":2,"dur":3,"ph":"X","cat":"Kernel","args":{{"start_time":"{start} us","correlation id":{id}}}}}"#
        )
    };
    let (relative, absolute) = ("726838.091", "726838770.965");
    let events = [event(relative, 1), event(absolute, 2), event(absolute, 3)];
    let text = format!("[{}]", events.join(",\n"));
    let trace = load(text.as_bytes(), 1, None, true).trace;
    assert_eq!(trace.slices.start.as_slice(), [2000; 3]);
    assert!(trace.slices.origin.is_sorted(), "{:?}", trace.slices.origin);
    chunks_make_no_difference(text.as_bytes(), (20..text.len()).step_by(9));
    let paired = br#"[{"ph":"B","name":"outer","ts":1},{"ph":"B","name":"inner","ts":1},{"ph":"E","ts":5},{"ph":"E","ts":5}]"#;
    let trace = load(paired, 1, None, false).trace;
    assert_eq!(trace.name(SliceId::new(0)).as_str(), "outer", "what was begun first is around the other");
}

#[test]
fn children_that_overlap_by_rounding_leave_no_negative_time() {
    let text = br#"[{"ph":"X","name":"a","ts":1,"dur":4},{"ph":"X","name":"b","ts":1,"dur":2},{"ph":"X","name":"c","ts":2,"dur":3}]"#;
    let trace = load(text, 1, None, false).trace;
    let own: Vec<_> = trace.slices.ids().iter().map(|id| trace.self_time(id)).collect();
    assert_eq!(own, [0, 2000, 3000]);
}

#[test]
fn half_of_a_wide_character_never_stays() {
    let text = r#"[{"ph":"X","name":"卷积卷积卷积卷积卷积","ts":0,"dur":100,"pid":"卷积","tid":"卷积"},
        {"ph":"X","name":"b","ts":150,"dur":100,"pid":"卷积","tid":"卷积"}]"#;
    let theme = Theme::new(Depth::Indexed256, Background::Dark, true);
    for width in 1..70 {
        let mut state = State::new(Session::new(load(text.as_bytes(), 1, None, false)), (width, 16));
        for key in [
            "w", "w", "d", "d", "w", "a", "d", "/", "卷", "esc", "?", "esc", ":", "esc", "f", "enter", "d",
            "d",
        ] {
            update(&mut state, Msg::Key(Key::parse(key).expect("a key")));
            let area = Rect::new(0, 0, width, 16);
            let mut buffer = Buffer::empty(area);
            ui::draw(&state, &theme, area, &mut buffer);
            for line in buffer.content.chunks(width as usize) {
                let symbols = line.iter().fold(String::new(), |mut all, cell| {
                    let _ = write!(all, "{}¦", cell.symbol());
                    all
                });
                let columns: usize = line.iter().map(Cell::symbol).map(UnicodeWidthStr::width).sum();
                assert_eq!(columns, width as usize, "{width} columns after {key}: {symbols}");
            }
        }
    }
}

#[test]
fn a_zstd_file_may_begin_with_a_frame_without_text() {
    let text = br#"[{"ph":"X","name":"a","ts":1,"dur":1}]"#;
    let frame = zstd::bulk::compress(text, 3).unwrap();
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0\x30\0\0\0";
    for data in [&[skipped, &frame[..]].concat()[..], &[skipped, skipped, &frame[..], skipped].concat()] {
        assert_eq!(load(data, 1, None, false).trace.digest(), load(text, 1, None, false).trace.digest());
    }
}

#[test]
fn a_zstd_block_is_given_though_the_next_one_is_damaged() {
    let text = br#"[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":3,"dur":1},"#;
    // A frame of 200 bytes with a block of plain text, then one of a kind that is none.
    let size = u8::try_from(text.len()).unwrap();
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 200, size << 3, size >> 5, 0];
    let data = [&head[..], &text[..], &[0x06, 0, 0, 0, 0]].concat();
    assert_eq!(load(&data, 1, None, false).trace.slices.len(), 2);
    chunks_make_no_difference(&data, 1..text.len() + 2);
}

#[test]
fn zstd_text_that_did_not_fit_is_given_though_the_next_block_is_damaged() {
    let events: Vec<_> = (0..40).map(|i| format!(r#"{{"ph":"X","name":"a","ts":{i},"dur":1}}"#)).collect();
    let text = format!("[{},", events.join(","));
    let mut data = Vec::new();
    let mut encoder = zstd::stream::Encoder::new(&mut data, 3).unwrap();
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    // Ends the block, not the frame.
    std::io::Write::flush(&mut encoder).unwrap();
    drop(encoder);
    data.extend([0x06, 0, 0, 0, 0]);
    assert_eq!(load(&data, 1, None, false).trace.slices.len(), 40);
    chunks_make_no_difference(&data, 1..200);
}

#[test]
fn an_object_inside_what_follows_the_events_is_none_of_them() {
    let text =
        br#"[{"ph":"X","name":"a","ts":1,"dur":1}],"traceName"d": 3, "tid": [],nts":[{"ph":"s","id":8}]"#;
    chunks_make_no_difference(text, 1..text.len() + 2);
}

#[test]
fn a_zstd_frame_that_says_too_much_costs_nothing_after_it() {
    // One byte, it says, and then one empty block, the last. The decoder takes that when its input comes in
    // parts.
    let short = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 1, 0, 0];
    let text = br#"[{"ph":"X","name":"a","ts":1,"dur":1}]"#;
    let data = [&short[..], &zstd::bulk::compress(text, 3).unwrap()[..]].concat();
    assert_eq!(load(&data, 1, None, false).trace.digest(), load(text, 1, None, false).trace.digest());
    chunks_make_no_difference(&data, 1..text.len() + 2);
}

/// A protobuf field: its number, and a message or text.
fn field(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    let bytes = parts.concat();
    let len = [bytes.len() as u8 | 0x80, u8::try_from(bytes.len() >> 7).unwrap()];
    [&[number << 3 | 2][..], &len, &bytes].concat()
}

/// The last of several events in one node counts, when it is read and when it is read again; and a node that
/// begins like device work is none.
#[test]
fn a_protobuf_node_with_several_events_has_the_last() {
    let times = [0x18, 1, 0x20, 5];
    let named = |name: &[u8]| field(1, &[name]);
    let host = |name: &[u8]| field(3, &[&named(name), &times]);
    let damaged = field(3, &[&[0xcb, 0x17]]);
    let twice = field(2, &[&damaged, &host(b"first"), &host(b"last")]);
    let like_device = field(2, &[&field(1, &[&[0xcb, 0x17]]), &host(b"no work")]);
    let work = |name: &[u8]| field(1, &[&named(name), &times]);
    let device = field(2, &[&work(b"some work"), &work(b"work")]);
    let call = |name: &[u8]| field(1, &[&named(name), &[0x10, 1, 0x18, 5]]);
    let memory = field(5, &[&field(1, &[&[0x08, 1]]), &field(1, &[&[0x08, 3]])]);
    let calling = field(2, &[&host(b"op"), &field(4, &[&call(b"early"), &call(b"late"), &device]), &memory]);
    let tree = field(3, &[&twice, &like_device, &calling]);
    let file = [&b"\x0a\x051.0.2"[..], &tree].concat();
    let loaded = load(&file, 1, None, false);
    let trace = &loaded.trace;
    let mut names: Vec<_> = trace
        .slices
        .ids()
        .iter()
        .map(|id| {
            let EventText::Members(members) = loaded.texts.read(trace.slices.origin[id]) else {
                panic!("{} cannot be read again", trace.name(id))
            };
            assert!(format!("{members:?}").contains(trace.name(id).as_str()), "{members:?}");
            trace.name(id).to_string()
        })
        .collect();
    names.sort();
    assert_eq!(names, ["last", "late", "op", "work"]);
    assert_eq!((trace.memory.len(), trace.quality.dropped), (1, 1));
}

/// The report of the layout fluid and the tables of the layout visualdl.
fn layouts(text: &str) -> (String, Vec<proftui_insight::analysis::Table>) {
    let loaded = load(text.as_bytes(), 1, None, false);
    let scope = proftui_insight::analysis::Scope::default();
    let report = fluid::report(&loaded.trace, &scope, fluid::Options::default());
    (fluid::print::render(&report), visualdl::summaries(&loaded.trace, &loaded.texts, &scope, |_| true))
}

#[test]
fn a_steps_number_may_follow_any_character() {
    for (cat, name) in [
        ("ProfileStep", "\u{6b65}1"),
        ("ProfileStep", "\u{e9}2\u{96e}"),
        ("user_annotation", "\u{7b2c}1"),
        ("cpu_op", "\u{6b65}\u{9aa4}1"),
    ] {
        let step = format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":0,"dur":100}}"#);
        let inner = r#"{"ph":"X","cat":"Operator","name":"mm1","pid":1,"tid":1,"ts":1,"dur":10}"#;
        let other =
            r#"{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":2,"ts":1,"dur":9}"#;
        let (_, tables) = layouts(&format!("[{step},{inner},{other}]"));
        assert!(!tables.is_empty());
    }
}

#[test]
fn a_name_may_be_longer_than_a_format_width() {
    for length in [65_527, 65_528, 65_536, 70_000] {
        let name = "n".repeat(length);
        let (report, _) =
            layouts(&format!(r#"[{{"ph":"X","cat":"cpu_op","name":"{name}","ts":0,"dur":1}}]"#));
        assert!(report.lines().any(|line| line.len() > length.min(65_536)), "the name is whole");
    }
}

#[test]
fn ends_without_a_begin_are_outside_of_the_trace() {
    let first = r#"{"ph":"E","ts":2,"pid":1}"#;
    let end = r#"{"ph":"e","cat":"c","id":1,"name":"a","ts":3,"pid":1}"#;
    let instant = r#"{"ph":"n","cat":"c","id":1,"name":"a","ts":2,"pid":1}"#;
    let trace = load(format!("[{first},{end},{instant}]").as_bytes(), 1, None, false).trace;
    assert_eq!((trace.span.start, trace.span.end), (2_000, 2_000));
    assert_eq!(trace.main_span, trace.span);
}
