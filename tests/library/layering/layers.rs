//! Layers of modules: each uses only what lies below it.

use std::collections::BTreeSet;

use super::graph::{File, Graph};

/// How the modules inside one module, or at a crate's root, lie above one another.
pub struct Layers {
    /// The crate, as paths in Rust name it.
    pub krate: &'static str,
    /// The module whose children are in layers; empty for the crate's root.
    pub module: &'static str,
    /// The module's children, from the lowest layer up; several in one text, separated by spaces, may use one
    /// another. The module's own file stands among them under its name, a crate's root as `lib`.
    pub rows: &'static [&'static [&'static str]],
    /// True if code for tests is held to the layers too.
    pub with_tests: bool,
}

impl Layers {
    /// What is against the layers, as sentences: uses upwards and sideways, modules that have no layer, and
    /// names in the table without a module.
    pub fn violations(&self, graph: &Graph) -> Vec<String> {
        let mut wrong = Vec::new();
        let counts = |is_test: bool| self.with_tests || !is_test;
        let mut found = BTreeSet::new();
        for file in graph.files.iter().filter(|file| counts(file.is_test)) {
            let Some(child) = self.child(file) else { continue };
            found.insert(child);
            if self.layer(child).is_none() {
                wrong.push(format!(
                    "{} has no layer: `{child}` is not in the table of {}",
                    file.path,
                    self.name()
                ));
            }
        }
        for name in self.names().filter(|name| !found.contains(name)) {
            wrong.push(format!("there is no `{name}` in {}", self.name()));
        }
        for edge in graph.uses.iter().filter(|edge| counts(edge.is_test)) {
            let (from, to) = (&graph.files[edge.from], &graph.files[edge.to]);
            let (Some(user), Some(used)) = (self.child(from), self.child(to)) else { continue };
            let may_use = self
                .layer(used)
                .zip(self.layer(user))
                .is_none_or(|(used, user)| used.0 < user.0 || used == user);
            if user != used && !may_use {
                let File { path, .. } = from;
                wrong.push(format!("{path}:{} uses `{}` of {used} ({})", edge.line, edge.name, to.path));
            }
        }
        wrong
    }

    fn name(&self) -> String {
        if self.module.is_empty() {
            self.krate.to_owned()
        } else {
            format!("{}::{}", self.krate, self.module)
        }
    }

    /// The child that a file belongs to, if it belongs to the module at all.
    fn child<'a>(&self, file: &'a File) -> Option<&'a str> {
        let mut inside = file.module.iter().map(String::as_str);
        let is_inside = self.module.is_empty() || inside.next() == Some(self.module);
        let own = file.module.first().map_or("lib", String::as_str);
        (is_inside && file.krate == self.krate).then(|| inside.next().unwrap_or(own))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().copied().flatten().flat_map(|group| group.split(' '))
    }

    /// The number of a child's layer, and that of its group within the layer.
    fn layer(&self, child: &str) -> Option<(usize, usize)> {
        let group =
            |layer: &&[&str]| layer.iter().position(|group| group.split(' ').any(|name| name == child));
        self.rows.iter().enumerate().find_map(|(number, layer)| group(layer).map(|group| (number, group)))
    }
}
