//! The names that what happened in a cycle bears: each process's own numbers, as one list.

use std::collections::HashMap;

use super::demangle::demangled;
use super::process::Process;

/// The list, as it grows.
#[derive(Debug, Default)]
pub struct Names {
    /// All of them.
    pub all: Vec<Vec<u8>>,
    known: HashMap<(usize, u32), u32>,
    words: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The place of a process's name; `of` tells the process from others of the cycle.
    pub fn number(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        *self.known.entry((of, number)).or_insert_with(|| {
            let name = (number as usize).checked_sub(1).and_then(|at| process.names.get(at));
            self.all.push(name.map_or_else(|| b"(name was not kept)".to_vec(), Clone::clone));
            self.all.len() as u32 - 1
        })
    }

    /// The place of a kernel's name, as its source has it.
    pub fn kernel(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        let is_new = !self.known.contains_key(&(of, number));
        let place = self.number(of, process, number);
        if is_new && let Some(name) = self.all.get_mut(place as usize) {
            *name = demangled(name).unwrap_or_else(|| std::mem::take(name));
        }
        place
    }

    /// A name by its place.
    pub fn of(&self, place: u32) -> &[u8] {
        self.all.get(place as usize).map_or(b"", Vec::as_slice)
    }

    /// The place of a word of ours.
    pub fn word(&mut self, word: &str) -> u32 {
        self.bytes(word.as_bytes())
    }

    /// The place of a name that no process numbered.
    pub fn bytes(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.words.get(name) {
            return known;
        }
        self.all.push(name.to_vec());
        let number = self.all.len() as u32 - 1;
        self.words.insert(name.to_vec(), number);
        number
    }
}
