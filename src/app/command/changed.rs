//! Keys that earlier versions had for something else, for the manual's page of keys.

/// What a key did before, and what does it now; both in Markdown.
pub(super) const CHANGED: &[(&str, &str)] = &[
    (
        "`g`, then a time or step",
        "the same; `g` and a letter goes elsewhere: `gg`, `ge`, `gs`, `gl`, `gk`, `gp`, `gm`",
    ),
    ("`>`: sort by the next column", "`>>`; `>` and a digit sorts by the column with that number"),
    ("`!`: what limits the run", "the same; a digit after it goes to the finding with that number"),
];
