//! The text of the answer to what limits the run, with the keys that go to its findings.
//!
//! Must not know how it is drawn.

use super::table_pane::TablePane;

/// The sentences above the table of findings, with the key of each finding behind what is said of it.
pub fn text(pane: &TablePane) -> String {
    let headline = &pane.table.headline;
    let mut text = if pane.is_snapshot { "So far: ".to_owned() } else { String::new() };
    let mut from = 0;
    for &(at, number) in pane.table.links.iter().filter(|link| link.1 <= 9) {
        text += &format!("{} !{number}", &headline[from..at]);
        from = at;
    }
    text + &headline[from..]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proftui_base::dispose::Disposed;
    use proftui_insight::analysis::Table;

    use super::*;

    #[test]
    fn each_finding_has_its_key_behind_it() {
        let table = Table {
            headline: "one; two, late. More.".into(),
            links: vec![(3, 1), (8, 12)],
            ..Table::default()
        };
        let mut pane = TablePane::default();
        pane.table = Arc::new(Disposed::new(table, false));
        assert_eq!(text(&pane), "one !1; two, late. More.", "a key is one digit");
        pane.is_snapshot = true;
        assert_eq!(text(&pane), "So far: one !1; two, late. More.");
    }
}
