//! The keys of the page that compares the guides with proftui: each is a command's, and shows what the page
//! says. The page's commands are run in `tests/command/coverage.rs`.

use std::fmt::Write as _;

use proftui::app::{Key, command};

use super::{GPU, explorer, press, screen};
use crate::coverage_page::{Code, page};

/// The name of a key in the notation of [`press`], or the text itself if it is none.
fn pressed(code: &str) -> String {
    if code.chars().count() > 1 && Key::parse(code).is_some() { format!("<{code}>") } else { code.to_owned() }
}

#[test]
fn keys_of_the_page_show_what_it_says() {
    let page = page();
    let mut wrong = String::new();
    let mut count = 0;
    for row in &page.rows {
        let keys: Vec<&str> = row
            .here
            .iter()
            .filter_map(|code| if let Code::Keys(keys) = code { Some(keys.as_str()) } else { None })
            .collect();
        let open = row
            .here
            .iter()
            .find_map(|code| if let Code::Open(trace) = code { Some(trace.as_str()) } else { None });
        if keys.is_empty() && open.is_none() {
            continue;
        }
        let trace = open.map_or(GPU, |path| path.trim_start_matches("demo-traces/"));
        let mut state = explorer(trace, (160, 50));
        let before = screen(&state);
        let mut is_typed = false;
        for key in &keys {
            let parsed = Key::parse(key);
            let is_bound =
                parsed.is_some_and(|key| command::all().any(|command| command.keys.contains(&key)));
            if !is_bound && !is_typed {
                let _ = writeln!(wrong, "{}: {key} is no command's key", row.feature);
                continue;
            }
            is_typed = [":", "/"].contains(key) || (is_typed && parsed.is_none());
            press(&mut state, &pressed(key));
        }
        count += keys.len();
        let after = screen(&state);
        if !keys.is_empty() && after == before {
            let _ = writeln!(wrong, "{}: {keys:?} change nothing", row.feature);
        }
        for text in row.shows.iter().filter(|text| !after.contains(text.as_str())) {
            let _ = writeln!(wrong, "{}: `{text}` is not shown by {keys:?}:\n{after}", row.feature);
        }
    }
    assert!(count > 50, "{count} keys");
    assert!(wrong.is_empty(), "{wrong}");
}
