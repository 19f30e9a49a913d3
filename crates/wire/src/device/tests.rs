//! Tests of reading device chunks: records with any contents are read back as written, and reading ends for
//! any bytes.

use proptest::prelude::*;

use super::record::{Api, Context, Device, Graph, Kernel, Memcpy, Memory, Memset, Name, Overhead, Stream};
use super::record::{DeviceGraph, Encoded, Event, HostNode, MAX_WORDS, Pool, Sync, Unified};
use super::*;

/// Generates lists of up to 19 records, each of any kind and decoded from arbitrary bytes.
fn records() -> impl Strategy<Value = Vec<Record>> {
    let record = (1_u16..=17, prop::array::uniform32(any::<u32>())).prop_map(|(kind, numbers)| {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes[..2].copy_from_slice(&kind.to_le_bytes());
        Record::read(&bytes).expect("a kind that there is")
    });
    prop::collection::vec(record, 0..20)
}

fn chunk(committed: u64, lost: u64, records: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; RECORDS];
    bytes[..COMMITTED].copy_from_slice(&Header { pid: 7, cycle: 2, index: 1 }.bytes());
    bytes[COMMITTED..COMMITTED + 8].copy_from_slice(&committed.to_le_bytes());
    bytes[LOST..LOST + 8].copy_from_slice(&lost.to_le_bytes());
    bytes.extend(records);
    bytes
}

proptest! {
    #[test]
    fn records_are_read_back(records in records(), behind in 0_usize..100) {
        let mut bytes: Vec<u8> = records.iter().flat_map(|record| record.encode().to_vec()).collect();
        let committed = bytes.len() as u64;
        bytes.extend(std::iter::repeat_n(0x11, behind));
        let bytes = chunk(committed, 5, &bytes);
        let chunk = Chunk::read(&bytes).expect("a chunk");
        prop_assert_eq!((chunk.header, chunk.lost), (Header { pid: 7, cycle: 2, index: 1 }, 5));
        prop_assert_eq!(chunk.records().collect::<Vec<_>>(), records);
    }

    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..600), committed in any::<u64>()) {
        let bytes = chunk(committed, 0, &bytes);
        let chunk = Chunk::read(&bytes).expect("a chunk");
        prop_assert!(chunk.records().count() <= bytes.len() / 8);
    }
}

#[test]
fn fields_stand_where_they_are_said_to() {
    let kernel =
        Kernel { name: 1, start: 2, grid: [3, 4, 5], graph_node: 6, channel: 7, ..Kernel::default() };
    let Encoded { words, len } = kernel.encode();
    assert_eq!(len, 15);
    assert_eq!(words[0], 1 << 32 | 15 << 16 | 2);
    assert_eq!((words[1], words[7], words[8], words[12], words[13]), (2, 4 << 32 | 3, 5, 6, 7 << 32));
    let read = Record::read(&kernel.encode().to_vec());
    assert_eq!(read, Some(Record::Kernel(kernel)));
}

#[test]
fn no_two_records_share_a_kind() {
    let mut kinds = vec![Api::KIND, Kernel::KIND, Memcpy::KIND, Memset::KIND, Sync::KIND];
    kinds.extend([Overhead::KIND, Memory::KIND, Graph::KIND, Device::KIND, Context::KIND, Stream::KIND]);
    kinds.extend([Name::KIND, Event::KIND, Unified::KIND, Pool::KIND, HostNode::KIND, DeviceGraph::KIND]);
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, (1..=17).collect::<Vec<u16>>());
}

#[test]
fn what_is_not_known_is_passed_over() {
    let word = |kind: u64, words: u64| (kind | words << 16).to_le_bytes();
    let graph = Graph { graph: 3, ..Graph::default() };
    let mut longer = graph.encode();
    longer.len = MAX_WORDS;
    longer.words[0] = u64::from(Graph::KIND) | (MAX_WORDS as u64) << 16 | 3 << 32;
    let parts = [
        [word(900, 2), [9; 8]].concat(),
        longer.to_vec(),
        [word(u64::from(Kernel::KIND), 2), [9; 8]].concat(),
        graph.encode().to_vec(),
        word(1, 0).to_vec(),
        graph.encode().to_vec(),
    ];
    let bytes = chunk(u64::MAX, 0, &parts.concat());
    let mut records = Chunk::read(&bytes).expect("a chunk").records();
    let read: Vec<Record> = records.by_ref().collect();
    assert_eq!(read, [Record::Graph(graph), Record::Graph(graph)], "nothing behind a length of 0");
    assert_eq!(records.unknown, 2, "of another kind, and too short for its own");
    let behind = (8 + graph.encode().to_vec().len()) as u64;
    assert_eq!(records.unread, u64::MAX - (parts.concat().len() as u64 - behind), "torn off, and behind it");
}

#[test]
fn other_bytes_are_refused() {
    assert_eq!(Chunk::read(b"PFGP").map(|_| ()), Err(Unreadable::Short));
    assert_eq!(Chunk::read(&[0; RECORDS]).map(|_| ()), Err(Unreadable::Foreign));
    let mut bytes = chunk(0, 0, &[]);
    bytes[4] = 9;
    assert_eq!(Chunk::read(&bytes).map(|_| ()), Err(Unreadable::Version(9)));
}
