//! The format of a process's list of graph nodes: what the program was doing when a node of a CUDA graph was
//! created. Work that a graph launches has the node's id, by which it is joined with the list.
//!
//! The file [`FILE`] in the process's folder has entries of [`BYTES`] bytes, little endian, in the order of
//! their creation.
//!
//! | offset | content |
//! | --- | --- |
//! | 0 | id of the node, u64 |
//! | 8 | id of the node of which it is a copy, as those of an executable graph are; 0 for none, u64 |
//! | 16 | when it was created, ns of the monotonic clock, u64 |
//! | 24 | thread that created it, as the operating system numbers threads, u32 |
//! | 28 | kind of the node, CUDA's number (`CUgraphNodeType`), u32 |
//! | 32 | the thread's innermost operator, as a number in the list of names; 0 for none, u32 |
//! | 36 | the thread's innermost range that is no operator; 0 for none, u32 |
//! | 40 | id of the graph, u32, then four zero bytes |

use crate::chunk::{u32_at, u64_at};

/// Name of the file with the list of graph nodes, in the folder of a process.
pub const FILE: &str = "graph-nodes";
/// Length of an encoded [`GraphNode`], bytes.
pub const BYTES: usize = 48;
/// Most nodes in a process's list of graph nodes; further nodes are only counted.
pub const MOST_NODES: u64 = 1 << 20;

/// A node of a CUDA graph and, unless it is a copy, what the program was doing when the node was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphNode {
    /// CUPTI's id of the node, unique in the process.
    pub id: u64,
    /// Id of the node from which this node was copied; 0 if it is no copy.
    pub original: u64,
    /// When the node was created, ns of the monotonic clock.
    pub time: u64,
    /// Id of the thread that created the node, as the operating system numbers threads.
    pub tid: u32,
    /// CUDA's kind of the node: 0 kernel, 1 copy, 2 memset, 3 host function, and others.
    pub kind: u32,
    /// The thread's innermost operator when the node was created, as far as known, as a number in the list of
    /// names; 0 for none, and in a copy.
    pub operator: u32,
    /// The thread's innermost range that is no operator when the node was created, as far as known, as a
    /// number in the list of names; 0 for none, and in a copy.
    pub range: u32,
    /// Id of the graph that has the node; 0 if CUPTI did not state it.
    pub graph: u32,
}

impl GraphNode {
    /// Encodes the node as an entry of the file.
    pub fn bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (at, number) in [(0, self.id), (8, self.original), (16, self.time)] {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let numbers = [self.tid, self.kind, self.operator, self.range, self.graph];
        for (which, number) in numbers.into_iter().enumerate() {
            bytes[24 + 4 * which..28 + 4 * which].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Decodes the nodes in a file's bytes, in their order; an incomplete last node is left out.
    pub fn all(bytes: &[u8]) -> impl Iterator<Item = Self> + '_ {
        bytes.chunks_exact(BYTES).map(|entry| Self {
            id: u64_at(entry, 0),
            original: u64_at(entry, 8),
            time: u64_at(entry, 16),
            tid: u32_at(entry, 24),
            kind: u32_at(entry, 28),
            operator: u32_at(entry, 32),
            range: u32_at(entry, 36),
            graph: u32_at(entry, 40),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back() {
        let node =
            GraphNode { id: 1 << 40, original: 2, time: 3, tid: 4, kind: 5, operator: 6, range: 7, graph: 8 };
        let mut bytes = [node.bytes(), GraphNode::default().bytes()].concat();
        bytes.push(9);
        assert_eq!(GraphNode::all(&bytes).collect::<Vec<_>>(), [node, GraphNode::default()]);
    }
}
