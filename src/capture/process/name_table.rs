//! The list of a recording's names. Each process numbers its names separately; this maps the numbers to
//! indices in one list.

use std::collections::HashMap;

use crate::capture::process::Process;
use proftui_base::saturate::saturate;
use proftui_insight::analysis::vocabulary::demangle::demangled;

/// The list of a recording's names; a name is added when it is first requested.
#[derive(Debug, Default)]
pub struct NameTable {
    /// All names; ranges, calls and device work refer to them by index.
    pub all: Vec<Vec<u8>>,
    /// Index in `all` of a name, by the process's index in the cycle and the process's number for the name.
    known: HashMap<(usize, u32), u32>,
    /// Index in `all` of the names that were requested by their bytes, not by a process's number.
    unnumbered: HashMap<Vec<u8>, u32>,
}

impl NameTable {
    /// Index in `all` of the name that `process` numbered `number`, from 1; adds the name, or a text if it is
    /// missing, on the first request. `of` is the index of the process in the cycle.
    pub fn number(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        *self.known.entry((of, number)).or_insert_with(|| {
            let name = (number as usize).checked_sub(1).and_then(|at| process.names.get(at));
            self.all.push(name.map_or_else(|| b"(name was not kept)".to_vec(), Clone::clone));
            saturate::<u32>(self.all.len()) - 1
        })
    }

    /// Like [`NameTable::number`], for a kernel's name: a mangled C++ name is added demangled, if possible.
    pub fn kernel(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        let is_new = !self.known.contains_key(&(of, number));
        let index = self.number(of, process, number);
        if is_new && let Some(name) = self.all.get_mut(index as usize) {
            *name = demangled(name).unwrap_or_else(|| std::mem::take(name));
        }
        index
    }

    /// The name with this index in `all`; empty if there is none.
    pub fn of(&self, index: u32) -> &[u8] {
        self.all.get(index as usize).map_or(b"", Vec::as_slice)
    }

    /// Like [`NameTable::bytes`], for a name given as text.
    pub fn text(&mut self, text: &str) -> u32 {
        self.bytes(text.as_bytes())
    }

    /// Index in `all` of a name given by its bytes; adds it on the first such request.
    pub fn bytes(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.unnumbered.get(name) {
            return known;
        }
        self.all.push(name.to_vec());
        let number = saturate::<u32>(self.all.len()) - 1;
        self.unnumbered.insert(name.to_vec(), number);
        number
    }
}
