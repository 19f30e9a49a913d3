//! What the program was doing when it created the nodes of its CUDA graphs, by the recorder's list of them:
//! the names of device work that a graph launches. Must not know records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use proftui_wire::graph_nodes::{BYTES, FILE, GraphNode, MOST_NODES};

use crate::capture::process::Process;

/// Most CUDA graph nodes that are visited on the way from a copy to its original.
const DEPTH: usize = 64;

/// The CUDA graph nodes of one process, by their ids.
#[derive(Debug, Default)]
pub(super) struct GraphNames(HashMap<u64, GraphNode>);

impl GraphNames {
    /// Reads a process's list of CUDA graph nodes, empty if there is none; adds a message to `faults` if the
    /// list cannot be read.
    pub(super) fn read(process: &Process, faults: &mut Vec<String>) -> Self {
        let path = process.folder.join(FILE);
        match nodes(&path) {
            Ok(nodes) => Self(nodes),
            Err(why) => {
                if why.kind() != ErrorKind::NotFound {
                    faults.push(format!("{}: {why}", path.display()));
                }
                Self::default()
            }
        }
    }

    /// The operator, and the range that is no operator, in which the program created the node `id` or its
    /// original: numbers in the process's list of names, 0 for none.
    pub(super) fn of(&self, id: u64) -> (u32, u32) {
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

/// Reads the list of nodes in the file `path`, [`MOST_NODES`] at most, by the nodes' ids.
fn nodes(path: &Path) -> io::Result<HashMap<u64, GraphNode>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_NODES * BYTES as u64).read_to_end(&mut bytes)?;
    Ok(GraphNode::all(&bytes).map(|node| (node.id, node)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_read_whole() {
        let path = std::env::temp_dir().join(format!("proftui-graph-nodes-{}", std::process::id()));
        let list = (1..=200_000_u64).flat_map(|id| GraphNode { id, ..GraphNode::default() }.bytes());
        std::fs::write(&path, list.collect::<Vec<u8>>()).expect("written");
        assert_eq!(nodes(&path).expect("read").len(), 200_000);
        std::fs::remove_file(path).expect("removed");
    }

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
