//! Makes the message that precedes the trees: schema version, thread names and facts, devices, streams.

use crate::model::nodetree::{
    DevicePropertyProto, ExtraInfoMap, NodeTreesProto, StreamProto, UnifiedMemoryProto,
};

use super::super::content::{Recording, SCHEMA};
use super::super::device::{Device, Stream};
use super::super::unified_memory::UnifiedMemory;

/// Makes the message of a whole file, but without the trees and the events of unified memory.
pub(super) fn header(recording: &Recording) -> NodeTreesProto {
    let extra = recording.extra().map(|(key, value)| ExtraInfoMap {
        key: Some(key.into_bytes()),
        value: Some(value.as_bytes().to_vec()),
    });
    NodeTreesProto {
        version: Some(SCHEMA.as_bytes().to_vec()),
        span_index: Some(recording.index),
        thread_trees: Vec::new(),
        extra_info: extra.collect(),
        device_property: recording.devices.all.iter().map(device).collect(),
        streams: recording.devices.streams.iter().map(stream).collect(),
        unified_memory: Vec::new(),
    }
}

/// Makes a message with one event of unified memory and nothing else; protobuf readers merge it with the
/// header.
pub(super) fn unified(recording: &Recording, event: &UnifiedMemory) -> NodeTreesProto {
    let unified = UnifiedMemoryProto {
        name: Some(recording.name(event.name).to_vec()),
        start_ns: Some(event.start),
        end_ns: Some(event.end),
        device: Some(event.device),
        arguments: Some(format!("{{{}}}", event.arguments()).into_bytes()),
    };
    NodeTreesProto { unified_memory: vec![unified], ..NodeTreesProto::default() }
}

fn device(device: &Device) -> DevicePropertyProto {
    DevicePropertyProto {
        id: Some(device.id),
        name: Some(device.name.as_bytes().to_vec()),
        total_global_memory: Some(device.memory),
        compute_major: Some(device.capability.0),
        compute_minor: Some(device.capability.1),
        max_threads_per_block: Some(device.block_threads),
        max_threads_per_multiprocessor: Some(device.warps.saturating_mul(device.warp)),
        regs_per_block: Some(device.block_registers),
        regs_per_multiprocessor: Some(device.registers),
        warp_size: Some(device.warp),
        shared_memory_per_block: Some(device.block_shared.into()),
        shared_memory_per_multiprocessor: Some(device.shared.into()),
        sm_count: Some(device.processors),
        shared_memory_per_block_optin: Some(device.block_shared.into()),
        uuid: Some(device.uuid.as_bytes().to_vec()),
        memory_bandwidth: Some(device.bandwidth.saturating_mul(1000)),
    }
}

fn stream(stream: &Stream) -> StreamProto {
    StreamProto {
        device: Some(stream.device),
        lane: Some(stream.lane),
        id: Some(stream.id),
        context: Some(stream.context),
        process_id: Some(stream.pid),
        priority: stream.priority,
        title: Some(stream.title().into_bytes()),
    }
}
