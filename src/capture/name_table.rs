//! The names of a recording: one list, into which each process's numbers of names are translated.

use std::collections::HashMap;

use super::demangle::demangled;
use super::process::Process;

/// The list of names, as it grows.
#[derive(Debug, Default)]
pub struct NameTable {
    /// All names; ranges, calls and device work refer to them by index.
    pub all: Vec<Vec<u8>>,
    /// Indices by process and its own number of the name.
    known: HashMap<(usize, u32), u32>,
    /// Indices of names that have no number.
    unnumbered: HashMap<Vec<u8>, u32>,
}

impl NameTable {
    /// Index of the name to which `process` gives this number, from 1; `of` is the index of the process in the cycle.
    pub fn number(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        *self.known.entry((of, number)).or_insert_with(|| {
            let name = (number as usize).checked_sub(1).and_then(|at| process.names.get(at));
            self.all.push(name.map_or_else(|| b"(name was not kept)".to_vec(), Clone::clone));
            self.all.len() as u32 - 1
        })
    }

    /// Index of a kernel's name, like [`NameTable::number`]; the name is demangled.
    pub fn kernel(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        let is_new = !self.known.contains_key(&(of, number));
        let index = self.number(of, process, number);
        if is_new && let Some(name) = self.all.get_mut(index as usize) {
            *name = demangled(name).unwrap_or_else(|| std::mem::take(name));
        }
        index
    }

    /// The name with this index; empty where there is none.
    pub fn of(&self, index: u32) -> &[u8] {
        self.all.get(index as usize).map_or(b"", Vec::as_slice)
    }

    /// Index of a text that no process has numbered.
    pub fn text(&mut self, text: &str) -> u32 {
        self.bytes(text.as_bytes())
    }

    /// Index of a name that no process has numbered.
    pub fn bytes(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.unnumbered.get(name) {
            return known;
        }
        self.all.push(name.to_vec());
        let number = self.all.len() as u32 - 1;
        self.unnumbered.insert(name.to_vec(), number);
        number
    }
}
