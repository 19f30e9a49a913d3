//! Keys that earlier versions had for something else, for the manual's page of keys.

/// What a key did before, and what does it now; both in Markdown.
pub(super) const CHANGED: &[(&str, &str)] = &[
    (
        "`g`, then a time or step",
        "the same; `g` and a letter goes elsewhere: `gg`, `ge`, `gs`, `gl`, `gk`, `gp`, `gm`",
    ),
    ("`>`: sort by the next column", "`>>`; `>` and a digit sorts by the column with that number"),
    ("`2`: Overview", "`2`: Steps; Categories, as it is called now, is in the palette"),
    ("`1` Details, `!` Verdict, `4` Model", "the same keys; the panes are called Here, Findings and Phases"),
    ("`9`: Memory", "Peak: who holds the memory at its peak; Memory is called Usage, `9` `9`"),
    ("the key of a pane that is shown: nothing", "the next pane of its topic: `2` `2` shows Device"),
    ("`z`: the longest event of the line", "the longest kernel; without kernels the same"),
    (
        "Backspace: out of a frame of a flame",
        "the same; elsewhere from the selection, the stretch or the zoom",
    ),
    ("`Q`: nothing", "Quality: what of the data was lost or repaired"),
    ("`!`: what limits the run", "the same; a digit after it goes to the finding with that number"),
];
