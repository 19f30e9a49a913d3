//! Holds the generated types to the schema by the checksums in their head. `.ci/long schema` generates them
//! again.

const SCHEMA: &[u8] = include_bytes!("../../../../../proto/nodetree.proto");
const TYPES: &str = include_str!("generated.rs");

#[test]
fn the_types_are_those_of_the_schema() {
    let (head, types) = TYPES.split_once("\n\n").expect("a head");
    let (_, sums) = head.rsplit_once(": ").expect("checksums");
    let made = format!("{:08x}, {:08x}.", crc32fast::hash(SCHEMA), crc32fast::hash(types.as_bytes()));
    assert_eq!(sums, made, "generated.rs and the schema do not belong together: see its head");
}
