//! The messages of Paddle's protobuf, generated from `proto/nodetree.proto`. Not edited by hand: where the
//! schema has changed, `cargo run --manifest-path proto/generate/Cargo.toml` writes this file.
//!
//! CRC-32 of the schema and of what stands below: 1b92f4d0, c167dfc2.

#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeTreesProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub version: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    /// Named span_indx before Paddle 3.2.
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub span_index: ::core::option::Option<u32>,
    #[prost(message, repeated, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_trees: ::prost::alloc::vec::Vec<ThreadNodeTreeProto>,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub extra_info: ::prost::alloc::vec::Vec<ExtraInfoMap>,
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device_property: ::prost::alloc::vec::Vec<DevicePropertyProto>,
    /// Names and priorities of the streams' lanes.
    #[prost(message, repeated, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub streams: ::prost::alloc::vec::Vec<StreamProto>,
    /// Events of unified memory, which are no device work.
    #[prost(message, repeated, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub unified_memory: ::prost::alloc::vec::Vec<UnifiedMemoryProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct UnifiedMemoryProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub name: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub start_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub end_ns: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device: ::core::option::Option<u32>,
    /// What is known of it: the text of a JSON object.
    #[prost(bytes = "vec", optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub arguments: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StreamProto {
    #[prost(uint32, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device: ::core::option::Option<u32>,
    /// The stream_id of its events: the stream's own number, or another one if two contexts or processes use the same number.
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub lane: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub id: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub context: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub process_id: ::core::option::Option<u32>,
    #[prost(sint32, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub priority: ::core::option::Option<i32>,
    /// Name of its lane.
    #[prost(bytes = "vec", optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub title: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ThreadNodeTreeProto {
    #[prost(uint64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_id: ::core::option::Option<u64>,
    /// Breadth first: a node comes after its parent.
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub host_nodes: ::prost::alloc::vec::Vec<HostTraceEventNodeProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HostTraceEventNodeProto {
    #[prost(int64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub id: ::core::option::Option<i64>,
    /// -1 for the root.
    #[prost(int64, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub parentid: ::core::option::Option<i64>,
    #[prost(message, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub host_trace_event: ::core::option::Option<HostTraceEventProto>,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub runtime_nodes: ::prost::alloc::vec::Vec<CudaRuntimeTraceEventNodeProto>,
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub mem_nodes: ::prost::alloc::vec::Vec<MemTraceEventNodeProto>,
    #[prost(message, repeated, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub op_supplement_nodes: ::prost::alloc::vec::Vec<OperatorSupplementEventNodeProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CudaRuntimeTraceEventNodeProto {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub runtime_trace_event: ::core::option::Option<CudaRuntimeTraceEventProto>,
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device_nodes: ::prost::alloc::vec::Vec<DeviceTraceEventNodeProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DeviceTraceEventNodeProto {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device_event: ::core::option::Option<DeviceTraceEventProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct MemTraceEventNodeProto {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub mem_event: ::core::option::Option<MemTraceEventProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct OperatorSupplementEventNodeProto {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub op_supplement_event: ::core::option::Option<OperatorSupplementEventProto>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HostTraceEventProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub name: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    /// Operator 0, Dataloader 1, ProfileStep 2, CudaRuntime 3, Kernel 4, Memcpy 5, Memset 6, UserDefined 7, OperatorInner 8,
    /// Forward 9, Backward 10, Optimization 11, Communication 12, PythonOp 13, PythonUserDefined 14; since Paddle 3
    /// DygraphKernelLaunch 15, StaticKernelLaunch 16.
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub r#type: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub start_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub end_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub process_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_id: ::core::option::Option<u64>,
    /// The true kind, if Paddle's reader would refuse it and `type` has another one. 200: garbage collection of Python. 201: compiling.
    /// 202: writing a checkpoint. 203: import of a Python module. 1000: synchronization with a device. 1001:
    /// overhead of recording. 1002: no event, but a part of its parent, which would be too long. 1003: call of a Python function.
    #[prost(uint32, optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub true_type: ::core::option::Option<u32>,
    /// The correlation number of the call of a synchronization, and the context, stream and event that it waited for.
    #[prost(uint32, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub correlation_id: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1002")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub context_id: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1003")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub stream_id: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1004")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub event_id: ::core::option::Option<u32>,
    /// The stream on which the CUDA event of a wait was recorded last, and the correlation of that record's call.
    #[prost(uint32, optional, tag = "1008")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub wait_on_stream: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1009")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub wait_on_record: ::core::option::Option<u32>,
    /// Arguments that its producer recorded, besides name and times: the text of a JSON object.
    #[prost(bytes = "vec", optional, tag = "1005")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub arguments: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    /// Number of the flow from an operator to its backward: forward_link on the operator, backward_link on the backward.
    #[prost(uint32, optional, tag = "1006")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub forward_link: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1007")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub backward_link: ::core::option::Option<u32>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CudaRuntimeTraceEventProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub name: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub start_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub end_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub process_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_id: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub correlation_id: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub callback_id: ::core::option::Option<u32>,
    /// The error code that the call returned, if it failed.
    #[prost(uint32, optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub returned: ::core::option::Option<u32>,
    /// True if this is not a call: it has device work whose launch was not recorded, or the rest of the work of the call before it.
    #[prost(bool, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub is_stand_in: ::core::option::Option<bool>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DeviceTraceEventProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub name: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub r#type: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub start_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub end_ns: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub device_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub context_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub stream_id: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "8")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub correlation_id: ::core::option::Option<u32>,
    /// At most one of these is set.
    #[prost(message, optional, tag = "9")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub kernel_info: ::core::option::Option<KernelEventInfoProto>,
    #[prost(message, optional, tag = "10")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub memcpy_info: ::core::option::Option<MemcpyEventInfoProto>,
    #[prost(message, optional, tag = "11")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub memset_info: ::core::option::Option<MemsetEventInfoProto>,
    /// The CUDA graph that launched it, and its node in that graph.
    #[prost(uint32, optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub graph_id: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub graph_node_id: ::core::option::Option<u64>,
    /// True if the work had not ended when the recording ended.
    #[prost(bool, optional, tag = "1002")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub is_cut: ::core::option::Option<bool>,
    /// The innermost operator, and the innermost other range, of the thread that created that node.
    #[prost(bytes = "vec", optional, tag = "1003")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub graph_operator: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "1004")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub graph_range: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    /// What launched it, if that was not the host, and it is no kernel.
    #[prost(bytes = "vec", optional, tag = "1005")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub launch: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct KernelEventInfoProto {
    #[prost(uint32, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub block_x: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub block_y: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub block_z: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub grid_x: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub grid_y: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub grid_z: ::core::option::Option<u32>,
    /// Bytes.
    #[prost(uint32, optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub dynamic_shared_memory: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "8")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub static_shared_memory: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "9")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub registers_per_thread: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "10")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub local_memory_per_thread: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "11")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub local_memory_total: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "12")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub queued: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "13")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub submitted: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "14")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub completed: ::core::option::Option<u64>,
    #[prost(float, optional, tag = "15")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub blocks_per_sm: ::core::option::Option<f32>,
    #[prost(float, optional, tag = "16")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub warps_per_sm: ::core::option::Option<f32>,
    /// 0 to 1.
    #[prost(float, optional, tag = "17")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub occupancy: ::core::option::Option<f32>,
    /// How it was launched, if otherwise than usual, or by what, if not by the host.
    #[prost(bytes = "vec", optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub launch: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct MemcpyEventInfoProto {
    #[prost(uint64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub num_bytes: ::core::option::Option<u64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub copy_kind: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub src_kind: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub dst_kind: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(bool, optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub is_async: ::core::option::Option<bool>,
    /// The devices of a copy from one to another.
    #[prost(uint32, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub source_device: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "1002")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub destination_device: ::core::option::Option<u32>,
    /// Number of copies that it stands for, if several.
    #[prost(uint64, optional, tag = "1003")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub copies: ::core::option::Option<u64>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct MemsetEventInfoProto {
    #[prost(uint64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub num_bytes: ::core::option::Option<u64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub memory_kind: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint32, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub value: ::core::option::Option<u32>,
    #[prost(bool, optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub is_async: ::core::option::Option<bool>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct MemTraceEventProto {
    #[prost(uint64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub timestamp_ns: ::core::option::Option<u64>,
    /// Allocate 0, Free 1, ReservedAllocate 2, ReservedFree 3.
    #[prost(uint32, optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub r#type: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub addr: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub process_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_id: ::core::option::Option<u64>,
    /// Bytes; negative for a release.
    #[prost(int64, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub increase_bytes: ::core::option::Option<i64>,
    #[prost(bytes = "vec", optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub place: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "8")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub current_allocated: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "9")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub current_reserved: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "10")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub peak_allocated: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub peak_reserved: ::core::option::Option<u64>,
    #[prost(bytes = "vec", optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub memory_kind: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint32, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub correlation_id: ::core::option::Option<u32>,
    /// Arguments that its producer recorded, by its own keys: the text of a JSON object.
    #[prost(bytes = "vec", optional, tag = "1002")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub arguments: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct OperatorSupplementEventProto {
    #[prost(uint64, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub timestamp_ns: ::core::option::Option<u64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub op_type: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub process_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub thread_id: ::core::option::Option<u64>,
    #[prost(message, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub input_shapes: ::core::option::Option<operator_supplement_event_proto::InputShapes>,
    #[prost(message, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub dtypes: ::core::option::Option<operator_supplement_event_proto::Dtypes>,
    #[prost(bytes = "vec", optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub callstack: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "8")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub op_id: ::core::option::Option<u64>,
}
/// Nested message and enum types in `OperatorSupplementEventProto`.
pub mod operator_supplement_event_proto {
    /// key\[i\] belongs to shape_vecs\[i\].
    #[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct InputShapes {
        #[prost(bytes = "vec", repeated, tag = "1")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        #[serde(with = "proftui_base::lossless")]
        pub key: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
        #[prost(message, repeated, tag = "2")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        pub shape_vecs: ::prost::alloc::vec::Vec<ShapeVector>,
    }
    #[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct ShapeVector {
        #[prost(message, repeated, tag = "1")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        pub shapes: ::prost::alloc::vec::Vec<Shape>,
    }
    #[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Shape {
        #[prost(uint64, repeated, packed = "false", tag = "1")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        pub size: ::prost::alloc::vec::Vec<u64>,
    }
    /// key\[i\] belongs to dtype_vecs\[i\].
    #[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct Dtypes {
        #[prost(bytes = "vec", repeated, tag = "1")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        #[serde(with = "proftui_base::lossless")]
        pub key: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
        #[prost(message, repeated, tag = "2")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        pub dtype_vecs: ::prost::alloc::vec::Vec<DtypeVector>,
    }
    #[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct DtypeVector {
        #[prost(bytes = "vec", repeated, tag = "1")]
        #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
        #[serde(with = "proftui_base::lossless")]
        pub dtype: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    }
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExtraInfoMap {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub key: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub value: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DevicePropertyProto {
    #[prost(uint32, optional, tag = "1")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub id: ::core::option::Option<u32>,
    #[prost(bytes = "vec", optional, tag = "2")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub name: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(uint64, optional, tag = "3")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub total_global_memory: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "4")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub compute_major: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub compute_minor: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub max_threads_per_block: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "7")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub max_threads_per_multiprocessor: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "8")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub regs_per_block: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "9")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub regs_per_multiprocessor: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "10")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub warp_size: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "11")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub shared_memory_per_block: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "12")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub shared_memory_per_multiprocessor: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "13")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub sm_count: ::core::option::Option<u32>,
    #[prost(uint64, optional, tag = "14")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub shared_memory_per_block_optin: ::core::option::Option<u64>,
    #[prost(bytes = "vec", optional, tag = "1000")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    #[serde(with = "proftui_base::lossless")]
    pub uuid: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    /// Bytes per second.
    #[prost(uint64, optional, tag = "1001")]
    #[serde(skip_serializing_if = "proftui_base::lossless::Blank::is_blank")]
    pub memory_bandwidth: ::core::option::Option<u64>,
}
