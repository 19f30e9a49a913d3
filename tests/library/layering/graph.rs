//! The graph of source files: which file names an item of which other.
//!
//! Paths are followed as the compiler follows them: `crate::`, `self::`, `super::`, names of child modules,
//! names that a `use` brought in, and re-exports, so that an edge points to the file in which the item is
//! defined. A `mod` line is no use, and neither is importing a module: what is named in it counts. Methods
//! called on a value are not seen, nor is what a macro makes.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{self, Source, Token};

/// Source files, and what each names of the others.
pub struct Graph {
    /// All files, by path.
    pub files: Vec<File>,
    /// Who names what.
    pub uses: Vec<Use>,
    modules: BTreeMap<(String, Vec<String>), usize>,
}

/// A source file, which is a module.
pub struct File {
    /// The crate, as paths in Rust name it (`proftui_wire`).
    pub krate: String,
    /// The names of its modules from the crate's root on; empty for the root.
    pub module: Vec<String>,
    /// Where it lies in the repository.
    pub path: String,
    /// How many lines it has.
    pub lines: usize,
    /// True where the whole file is compiled for tests alone.
    pub is_test: bool,
    defined: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    mentions: Vec<Mention>,
}

/// One file names an item of another.
#[derive(Clone, Debug)]
pub struct Use {
    /// The file that names it.
    pub from: usize,
    /// The file that defines it.
    pub to: usize,
    /// The item.
    pub name: String,
    /// The line in `from`, from 1.
    pub line: usize,
    /// True in code for tests alone.
    pub is_test: bool,
}

/// A path as it is written, with the inline modules around it in front of a `self`.
#[derive(Clone)]
struct Mention {
    path: Vec<String>,
    /// Inline modules around it, from the outside in.
    within: Vec<String>,
    line: usize,
    is_test: bool,
}

impl Graph {
    /// Reads sources, each a crate's name, a path below the crate's `src`, a path in the repository, and the
    /// text.
    pub fn new<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str, String, &'a str)>) -> Self {
        let mut files = Vec::new();
        let mut test_modules = Vec::new();
        for (krate, inside, path, text) in sources {
            let split = source::split(text);
            let file = File::new(krate, inside, path, text, &split);
            let child = |name: &&str| [file.module.clone(), vec![(*name).to_owned()]].concat();
            test_modules.extend(split.test_modules.iter().map(|name| (krate.to_owned(), child(name))));
            files.push(file);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        for file in &mut files {
            let is_below = |(krate, module): &(String, Vec<String>)| {
                *krate == file.krate && file.module.starts_with(module)
            };
            file.is_test = test_modules.iter().any(is_below);
        }
        let key = |(at, file): (usize, &File)| ((file.krate.clone(), file.module.clone()), at);
        let modules = files.iter().enumerate().map(key).collect();
        let mut graph = Self { files, uses: Vec::new(), modules };
        graph.uses = (0..graph.files.len()).flat_map(|at| graph.uses_of(at)).collect();
        graph
    }

    /// What one file names of others, each item once.
    fn uses_of(&self, from: usize) -> Vec<Use> {
        let file = &self.files[from];
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for mention in &file.mentions {
            let Some((to, name)) = self.target(from, &mention.within, &mention.path, 0) else { continue };
            let is_test = mention.is_test || file.is_test;
            if to != from && seen.insert((to, name.clone(), is_test)) {
                found.push(Use { from, to, name, line: mention.line, is_test });
            }
        }
        found
    }

    /// The file that defines what `path` names in the file `at`, and the item's name; `None` for what is of
    /// other crates or local, and for modules as such.
    fn target(&self, at: usize, within: &[String], path: &[String], depth: usize) -> Option<(usize, String)> {
        let file = &self.files[at];
        let (first, rest) = path.split_first()?;
        if depth > 16 {
            return None;
        }
        let own = || [file.module.as_slice(), within].concat();
        let absolute = |krate: &str, module: &[String]| self.item(krate, module, depth);
        match first.as_str() {
            "crate" => absolute(&file.krate, rest),
            "self" => absolute(&file.krate, &[own().as_slice(), rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|segment| *segment == "super").count();
                let own = own();
                let base = &own[..own.len().checked_sub(ups)?];
                absolute(&file.krate, &[base, &path[ups..]].concat())
            }
            name if self.modules.contains_key(&(name.to_owned(), Vec::new())) => absolute(name, rest),
            _ if self.is_module(&file.krate, &[own().as_slice(), &path[..1]].concat()) => {
                absolute(&file.krate, &[own().as_slice(), path].concat())
            }
            name => {
                let import = file.imports.get(name).filter(|import| import.as_slice() != path)?;
                self.target(at, &[], &[import.as_slice(), rest].concat(), depth + 1)
            }
        }
    }

    fn is_module(&self, krate: &str, module: &[String]) -> bool {
        self.modules.contains_key(&(krate.to_owned(), module.to_owned()))
    }

    /// As [`Self::target`], for a path from a crate's root.
    fn item(&self, krate: &str, path: &[String], depth: usize) -> Option<(usize, String)> {
        let depths = (0..=path.len()).rev();
        let length = depths.into_iter().find(|&length| self.is_module(krate, &path[..length]))?;
        let at = *self.modules.get(&(krate.to_owned(), path[..length].to_owned()))?;
        let (name, rest) = path[length..].split_first()?;
        let file = &self.files[at];
        if let Some(import) = file.imports.get(name).filter(|_| !file.defined.contains(name)) {
            return self.target(at, &[], &[import.as_slice(), rest].concat(), depth + 1);
        }
        let is_here = name == "*" || file.defined.contains(name);
        let through = |glob: &Vec<String>| {
            let inside = [&glob[..glob.len() - 1], std::slice::from_ref(name)].concat();
            let found = self.target(at, &[], &inside, depth + 1);
            found.filter(|(to, _)| self.files[*to].defined.contains(name))
        };
        let glob = if is_here { None } else { file.globs.iter().find_map(through) };
        Some(glob.unwrap_or_else(|| (at, name.clone())))
    }
}

impl File {
    fn new(krate: &str, inside: &str, path: String, text: &str, split: &Source<'_>) -> Self {
        let module: Vec<String> = match inside.trim_end_matches(".rs") {
            "lib" => Vec::new(),
            name => name.split('/').map(str::to_owned).collect(),
        };
        let mut reader = Reader { tokens: &split.tokens, ..Reader::default() };
        reader.read();
        Self {
            krate: krate.to_owned(),
            module,
            path,
            lines: text.lines().count(),
            is_test: false,
            defined: reader.defined,
            imports: reader.imports,
            globs: reader.globs,
            mentions: reader.mentions,
        }
    }
}

/// Collects the paths, imports and definitions of a file.
#[derive(Default)]
struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    depth: usize,
    /// Inline modules around the current token, each with the depth of its block.
    inline: Vec<(String, usize)>,
    defined: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    mentions: Vec<Mention>,
}

const DEFINING: [&str; 9] =
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_name)
    }

    fn read(&mut self) {
        while self.at < self.tokens.len() {
            let is_inside = self.at > 0 && matches!(self.text(self.at - 1), "::" | ".");
            match self.text(self.at) {
                "{" => self.depth += 1,
                "}" => {
                    self.depth -= 1;
                    self.inline.retain(|(_, depth)| *depth <= self.depth);
                }
                "use" => {
                    self.at += 1;
                    self.tree(&[]);
                    continue;
                }
                "mod" if self.text(self.at + 2) == "{" => {
                    let name = self.text(self.at + 1).to_owned();
                    self.defined.insert(name.clone());
                    self.inline.push((name, self.depth + 1));
                }
                "mod" => self.at += 1,
                keyword if DEFINING.contains(&keyword) && self.depth == 0 => self.define(),
                _ if self.is_name(self.at) && !is_inside => {
                    self.path();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn define(&mut self) {
        let mut at = self.at + 1;
        while matches!(self.text(at), "!" | "mut" | "unsafe" | "extern" | "fn") {
            at += 1;
        }
        let name = self.text(at).to_owned();
        self.defined.insert(name);
    }

    /// A path of more than one segment, outside of a `use`.
    fn path(&mut self) {
        let first = self.at;
        let mut path = vec![self.text(self.at).to_owned()];
        self.at += 1;
        while self.text(self.at) == "::" && self.is_name(self.at + 1) {
            path.push(self.text(self.at + 1).to_owned());
            self.at += 2;
        }
        if path.len() > 1 {
            self.mention(path, first);
        }
    }

    fn mention(&mut self, path: Vec<String>, token: usize) {
        let within = self.inline.iter().map(|(name, _)| name.clone()).collect();
        let Token { line, is_test, .. } = self.tokens[token];
        self.mentions.push(Mention { path, within, line, is_test });
    }

    /// What stands behind `use`, or behind a prefix in it; ends behind the last of its tokens.
    fn tree(&mut self, prefix: &[String]) {
        let mut path = prefix.to_vec();
        loop {
            match self.text(self.at) {
                "::" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(self.at), "}" | "") {
                        self.tree(&path);
                        self.at += usize::from(self.text(self.at) == ",");
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    path.push("*".to_owned());
                    self.at += 1;
                    self.mention(path.clone(), self.at - 1);
                    if self.inline.is_empty() {
                        self.globs.push(path);
                    }
                    return;
                }
                _ if self.is_name(self.at) && self.text(self.at) != "as" => {
                    path.push(self.text(self.at).to_owned());
                    self.at += 1;
                }
                _ => break,
            }
        }
        let token = self.at.saturating_sub(1);
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let mut alias = path.last().cloned().unwrap_or_default();
        if self.text(self.at) == "as" {
            self.text(self.at + 1).clone_into(&mut alias);
            self.at += 2;
        }
        self.mention(path.clone(), token);
        if alias != "_" && (self.inline.is_empty() || !self.imports.contains_key(&alias)) {
            let within: Vec<String> = self.inline.iter().map(|(name, _)| name.clone()).collect();
            self.imports.insert(alias, from_file(path, &within));
        }
    }
}

/// A path of an inline module as the file around it would write it.
fn from_file(path: Vec<String>, within: &[String]) -> Vec<String> {
    let ups = path.iter().take_while(|segment| *segment == "super").count();
    match path.first().map(String::as_str) {
        Some("super") if ups <= within.len() => {
            let base = &within[..within.len() - ups];
            [&["self".to_owned()], base, &path[ups..]].concat()
        }
        Some("super") => path[within.len()..].to_vec(),
        _ => path,
    }
}
