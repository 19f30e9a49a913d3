//! A walk through a trace by keys, and the percentiles of what it measures.

/// Zooms, pans, events, rows, panes; `d` and `a` pan by a tenth of the screen.
const KEYS: &str = "0wwwwwwddddddddddaaaaadddddssssddddwwwwwwwwwwddddddddddljlljjkkhllllddaajjjjjjjj}}wwdddddss}dddddaaaaa2dd3dd1dd";

/// The 500 keys of the walk.
pub fn walk() -> impl Iterator<Item = char> {
    KEYS.chars().cycle().take(500)
}

/// The value below which `percent` percent of the values lie.
pub fn at(percent: usize, values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() - 1) * percent / 100]
}
