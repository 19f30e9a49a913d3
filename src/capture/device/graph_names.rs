//! What the program was doing when it created the nodes of its CUDA graphs, by the recorder's list of them: the names of device work that a
//! graph launches. Must not know records.

use std::collections::HashMap;

use proftui_wire::graph_nodes::{FILE, GraphNode};

use super::super::chunk_file;
use super::super::process::Process;

/// Most copies of copies of a node that are followed to the original.
const DEPTH: usize = 64;

/// The nodes of one process, by their ids.
#[derive(Debug, Default)]
pub struct GraphNames(HashMap<u64, GraphNode>);

impl GraphNames {
    /// Reads a process's list; without one there are no names.
    pub fn read(process: &Process) -> Self {
        let bytes = chunk_file::read(&process.folder.join(FILE));
        Self(
            bytes
                .map(|bytes| GraphNode::all(&bytes).map(|node| (node.id, node)).collect())
                .unwrap_or_default(),
        )
    }

    /// The innermost operator and the innermost other range at the creation of a node, or of that of which it is a copy: numbers in the
    /// process's list of names, 0 for none.
    pub fn of(&self, id: u64) -> (u32, u32) {
        let mut node = self.0.get(&id);
        for _ in 0..DEPTH {
            match node {
                Some(GraphNode { original: 0, operator, range, .. }) => return (*operator, *range),
                Some(copy) => node = self.0.get(&copy.original),
                None => break,
            }
        }
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_names_of_its_original() {
        let node = |id, original, operator| {
            (id, GraphNode { id, original, operator, range: 9, ..GraphNode::default() })
        };
        let names = GraphNames(HashMap::from([
            node(1, 0, 5),
            node(2, 1, 0),
            node(3, 2, 0),
            node(4, 4, 0),
            node(5, 8, 0),
        ]));
        assert_eq!([1, 2, 3].map(|id| names.of(id)), [(5, 9); 3]);
        assert_eq!(
            [4, 5, 6].map(|id| names.of(id)),
            [(0, 0); 3],
            "its own copy, a lost original, an unknown node"
        );
    }
}
