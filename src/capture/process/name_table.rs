//! The list of a recording's names. Each process numbers its names separately; this maps the numbers to
//! indices in one list.

use std::collections::HashMap;

use super::demangle::demangled;
use crate::capture::process::Process;
use proftui_base::saturate::saturate;

/// The list of a recording's names; a name is added when it is first requested.
#[derive(Debug, Default)]
pub struct NameTable {
    /// All names; ranges, calls and device work refer to them by index.
    pub all: Vec<Vec<u8>>,
    /// Index in `all` of the names that processes numbered, by the index of the process in the cycle and the
    /// process's number of the name.
    known: HashMap<(usize, u32), u32>,
    /// Index in `all` of the names that were requested by their bytes, not by a process's number.
    unnumbered: HashMap<Vec<u8>, u32>,
}

impl NameTable {
    /// Index in `all` of the name that has number `number`, from 1, in the list of `process`; adds the name
    /// when it is first asked for, as `(name was not kept)` if the list does not have it. `of` is the index
    /// of the process in the cycle.
    pub fn number(&mut self, of: usize, process: &Process, number: u32) -> u32 {
        *self.known.entry((of, number)).or_insert_with(|| {
            let name = (number as usize).checked_sub(1).and_then(|at| process.names.get(at));
            self.all.push(name.map_or_else(|| b"(name was not kept)".to_vec(), Clone::clone));
            saturate::<u32>(self.all.len()) - 1
        })
    }

    /// Index in `all` of a kernel's name, as [`NameTable::number`] returns it, but a mangled C++ name is
    /// added demangled, if it can be.
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

    /// Index in `all` of a text that proftui itself uses as a name; adds it when it is first asked for.
    pub fn text(&mut self, text: &str) -> u32 {
        self.bytes(text.as_bytes())
    }

    /// Index in `all` of a name that is requested by its bytes; adds it when it is first asked for so, even
    /// if a process numbered an equal name.
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
