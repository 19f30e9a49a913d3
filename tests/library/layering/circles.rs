//! Circles of files: each of them uses, in the end, every other.

use super::graph::Graph;

/// The circles of the graph without its tests: files by number, each circle in ascending order, the largest
/// first.
pub fn circles(graph: &Graph) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); graph.files.len()];
    for edge in graph.uses.iter().filter(|edge| !edge.is_test) {
        next[edge.from].push(edge.to);
    }
    let mut previous = vec![Vec::new(); next.len()];
    for (from, all) in next.iter().enumerate() {
        all.iter().for_each(|&to| previous[to].push(from));
    }
    // Kosaraju: in the reverse of the order in which a walk leaves files, each walk against the edges is one
    // component.
    let mut seen = vec![false; next.len()];
    let mut order = Vec::new();
    (0..next.len()).for_each(|at| walk(&next, at, &mut seen, &mut order));
    let mut seen = vec![false; next.len()];
    let mut components = Vec::new();
    for &at in order.iter().rev() {
        let mut component = Vec::new();
        walk(&previous, at, &mut seen, &mut component);
        component.sort_unstable();
        components.push(component);
    }
    components.retain(|component| component.len() > 1);
    components.sort_by_key(|component| (usize::MAX - component.len(), component.clone()));
    components
}

/// Walks from `at` on to whatever has not been seen; adds each file when all behind it are done.
fn walk(next: &[Vec<usize>], at: usize, seen: &mut [bool], done: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[at], true) {
        return;
    }
    next[at].iter().for_each(|&to| walk(next, to, seen, done));
    done.push(at);
}

/// A circle as text: its files, and what each uses of the others. A child module that uses an item of its
/// parent's own file is marked: moving the item into a child of its own dissolves most such circles.
pub fn describe(graph: &Graph, circle: &[usize]) -> String {
    let mut text = format!("{} files:\n", circle.len());
    for &from in circle {
        text.push_str(&format!("  {}\n", graph.files[from].path));
        for &to in circle {
            let edges = graph.uses.iter().filter(|edge| !edge.is_test && (edge.from, edge.to) == (from, to));
            let names: Vec<&str> = edges.map(|edge| edge.name.as_str()).collect();
            if !names.is_empty() {
                let (user, used) = (&graph.files[from], &graph.files[to]);
                let is_child = user.module.len() > used.module.len() && user.module.starts_with(&used.module);
                let parent = if is_child { ", its parent" } else { "" };
                text.push_str(&format!("      uses {}{parent}: {}\n", used.path, names.join(", ")));
            }
        }
    }
    text
}
