//! Compiles the protobuf schema into Rust. Needs no protoc: protox reads the schema, prost-build writes the code.
//!
//! The messages can be written as JSON and read back without loss, which is how a trace keeps them when it is converted.

/// Fields of bytes and floats, which JSON needs help with.
const SPECIAL: &[&str] = &[
    "NodeTreesProto.version",
    "HostTraceEventProto.name",
    "CudaRuntimeTraceEventProto.name",
    "DeviceTraceEventProto.name",
    "KernelEventInfoProto.blocks_per_sm",
    "KernelEventInfoProto.warps_per_sm",
    "KernelEventInfoProto.occupancy",
    "MemcpyEventInfoProto.copy_kind",
    "MemcpyEventInfoProto.src_kind",
    "MemcpyEventInfoProto.dst_kind",
    "MemsetEventInfoProto.memory_kind",
    "MemTraceEventProto.place",
    "OperatorSupplementEventProto.op_type",
    "OperatorSupplementEventProto.callstack",
    "OperatorSupplementEventProto.InputShapes.key",
    "OperatorSupplementEventProto.Dtypes.key",
    "OperatorSupplementEventProto.DtypeVector.dtype",
    "ExtraInfoMap.key",
    "ExtraInfoMap.value",
    "DevicePropertyProto.name",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    let schema = protox::compile(["proto/nodetree.proto"], ["proto"])?;
    let mut config = prost_build::Config::new();
    config.type_attribute(".", "#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]");
    config.field_attribute(".", "#[serde(skip_serializing_if = \"crate::base::lossless::Blank::is_blank\")]");
    for field in SPECIAL {
        let path = format!(".paddle.platform.{field}");
        config.field_attribute(path, "#[serde(with = \"crate::base::lossless\")]");
    }
    config.compile_fds(schema)?;
    Ok(())
}
