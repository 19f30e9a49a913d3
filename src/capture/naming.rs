//! The names that what happened in a cycle bears: each process's own numbers, as one list.

use std::collections::HashMap;

use super::process::Process;

/// The list, as it grows.
#[derive(Debug, Default)]
pub struct Names {
    /// All of them.
    pub all: Vec<Vec<u8>>,
    known: HashMap<(usize, u32), u32>,
    words: HashMap<String, u32>,
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

    /// The place of a word of ours.
    pub fn word(&mut self, word: &str) -> u32 {
        if let Some(&known) = self.words.get(word) {
            return known;
        }
        self.all.push(word.as_bytes().to_vec());
        let number = self.all.len() as u32 - 1;
        self.words.insert(word.to_owned(), number);
        number
    }
}
