//! Cuts texts where they are alike: a tree of the texts by their common beginnings, whose edges are shortened
//! from the top.
//!
//! An edge of the tree is a stretch that all texts below it have in common. How much of an edge is shown
//! depends only on the room that the edges above left and on what the edges below need, so texts below the
//! same edge show the same of it, and the first character after it, in which they differ, is shown. Must not
//! know why texts are to be kept apart.

use rustc_hash::FxHashSet;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::{head, tail};

/// The numbers of columns of an edge's text that [`cut`] tries to show, the largest first.
const SHOWN: [usize; 9] = [24, 16, 12, 8, 6, 4, 3, 2, 1];

/// An edge in the tree of the texts by their common beginnings (a radix tree): a stretch of text that all
/// texts below it share.
struct Edge {
    /// The index of the edge above this one; for the first edge, which is above all others, its own index.
    parent: usize,
    /// The index of one of the texts that contain the edge.
    text: usize,
    /// The offset in bytes at which the edge ends, the same in all texts that contain it.
    end: usize,
    /// The offset in bytes at which the edge begins in its texts; 0 until [`measure`] sets it.
    start: usize,
    /// The width of the edge's text, in columns; 0 until [`measure`] sets it.
    width: usize,
    /// The width of the first character of the edge's text, in columns; 0 until [`measure`] sets it.
    first: usize,
    /// For each number in [`SHOWN`], the columns that the widest path from this edge down takes if about that
    /// many columns of each edge are shown.
    needs: [usize; SHOWN.len()],
    /// True where the tree has edges below this one; false until [`measure`] sets it.
    has_children: bool,
}

impl Edge {
    fn new(parent: usize, text: usize, end: usize) -> Self {
        Self { parent, text, end, start: 0, width: 0, first: 0, needs: [0; SHOWN.len()], has_children: false }
    }

    /// The columns that this edge alone needs to show about `shown` columns of its text, with `…` where it is
    /// cut.
    fn need(&self, shown: usize) -> usize {
        self.width.min(shown.max(self.first) + 1)
    }
}

/// Each text with its form of at most `columns` columns; the forms usually differ where the width has room
/// for that.
pub(super) fn forms<'a>(texts: &FxHashSet<&'a str>, columns: usize) -> Vec<(&'a str, String)> {
    let mut texts: Vec<&str> = texts.iter().copied().collect();
    // Each byte of ASCII is a character.
    let is_ascii = texts.iter().all(|text| text.is_ascii());
    if is_ascii {
        texts.sort_unstable();
    } else {
        texts.sort_unstable_by(|a, b| a.graphemes(true).cmp(b.graphemes(true)));
    }
    let (mut edges, last_edges) = tree(&texts);
    let mut by_end: Vec<usize> = (0..edges.len()).collect();
    by_end.sort_unstable_by_key(|&edge| edges[edge].end);
    measure(&mut edges, &by_end, &texts);

    // The form of the texts up to the end of each edge, and the columns left after it.
    let mut shown: Vec<(String, usize)> = vec![(String::new(), columns); edges.len()];
    for &at in by_end.iter().skip(1) {
        let (before, room) = shown[edges[at].parent].clone();
        let edge = &edges[at];
        let (text, used) = cut(edge, &texts[edge.text][edge.start..edge.end], room);
        let is_marked = text == "…" && before.ends_with('…');
        shown[at] = if is_marked { (before, 0) } else { (before + &text, room.saturating_sub(used)) };
    }
    texts.iter().zip(last_edges).map(|(text, edge)| (*text, std::mem::take(&mut shown[edge].0))).collect()
}

/// The length in bytes of the longest common beginning of two texts that has whole characters only.
fn common(a: &str, b: &str) -> usize {
    if a.is_ascii() && b.is_ascii() {
        return a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    }
    let both = a.graphemes(true).zip(b.graphemes(true));
    both.take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum()
}

/// Makes the tree of `texts`, which must be sorted and distinct. Returns its edges, and for each text the
/// index of the edge at which it ends.
fn tree(texts: &[&str]) -> (Vec<Edge>, Vec<usize>) {
    let mut edges = vec![Edge::new(0, 0, 0)];
    // The edges of the text before, from the top.
    let mut path = vec![0];
    let mut last_edges = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let shared = if at == 0 { 0 } else { common(texts[at - 1], text) };
        let mut below = None;
        while let Some(edge) = path.pop_if(|edge| edges[*edge].end > shared) {
            below = Some(edge);
        }
        let mut parent = path.last().copied().unwrap_or_default();
        if let Some(below) = below.filter(|_| edges[parent].end < shared) {
            edges.push(Edge::new(parent, at - 1, shared));
            parent = edges.len() - 1;
            edges[below].parent = parent;
            path.push(parent);
        }
        edges.push(Edge::new(parent, at, text.len()));
        path.push(edges.len() - 1);
        last_edges.push(edges.len() - 1);
    }
    (edges, last_edges)
}

/// Measures `edges`, for [`cut`]; `by_end` must have the indices of all edges, sorted by where they end.
fn measure(edges: &mut [Edge], by_end: &[usize], texts: &[&str]) {
    // Above each edge: the most that the edges below it need.
    let mut below = vec![[0; SHOWN.len()]; edges.len()];
    for &at in by_end.iter().skip(1).rev() {
        let parent = edges[at].parent;
        let start = edges[parent].end;
        edges[parent].has_children = true;
        let edge = &mut edges[at];
        let text = &texts[edge.text][start..edge.end];
        edge.start = start;
        edge.width = width(text);
        edge.first =
            if text.is_ascii() { text.len().min(1) } else { text.graphemes(true).next().map_or(0, width) };
        for (i, &shown) in SHOWN.iter().enumerate() {
            edge.needs[i] = edge.need(shown) + below[at][i];
            below[parent][i] = below[parent][i].max(edge.needs[i]);
        }
    }
}

/// Cuts `text`, the text of an edge, such that it and the edges below it fit in `room` columns, if possible.
/// Returns the cut text and its width in columns.
fn cut(edge: &Edge, text: &str, room: usize) -> (String, usize) {
    let fits = SHOWN.iter().zip(edge.needs).find(|(_, need)| *need <= room);
    // Where there is no room for all that differs, the edges from the top are shown, and then a cut.
    let (shown, need) = fits.map_or((1, edge.needs[SHOWN.len() - 1]), |(shown, need)| (*shown, need));
    let own = edge.need(shown);
    let most = (own + room.saturating_sub(need))
        .min(room.saturating_sub(usize::from(fits.is_none() && edge.has_children)));
    if edge.width <= most {
        return (text.to_owned(), edge.width);
    }
    let for_text = most.saturating_sub(1);
    let start = head(text, (for_text * 2 / 3).max(edge.first).min(for_text));
    let end = tail(&text[start.len()..], for_text.saturating_sub(width(start)));
    let mark = if most > 0 { "…" } else { "" };
    let out = format!("{start}{mark}{end}");
    let used = width(start) + mark.width() + width(end);
    (out, used)
}

/// The width in columns of a text that has no control characters.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}
