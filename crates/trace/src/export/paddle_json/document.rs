//! The JSON document as Paddle's profiler writes it, as far as its protobuf has the same.
//!
//! Must not know what becomes of an event.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Members of a JSON object that have no field of their own, kept by key.
pub(super) type Rest = Pairs<IgnoredAny>;

/// The whole of a file: its header and its events.
#[derive(Deserialize)]
pub(super) struct Document {
    #[serde(rename = "schemaVersion")]
    pub version: String,
    /// The number of the recording, as text or number; Paddle before 3.2 has it in `span_indx`.
    pub span_index: Option<serde_json::Value>,
    pub span_indx: Option<serde_json::Value>,
    #[serde(rename = "displayTimeUnit")]
    _unit: Option<IgnoredAny>,
    #[serde(rename = "deviceProperties", default)]
    pub devices: Vec<Device>,
    #[serde(rename = "ExtraInfo", default)]
    pub extra: Pairs<String>,
    #[serde(rename = "traceEvents")]
    pub events: Vec<Event>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// Properties of a device, under Paddle's names.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Device {
    pub id: u32,
    pub name: String,
    pub total_global_mem: u64,
    pub compute_major: u32,
    pub compute_minor: u32,
    pub max_threads_per_block: u32,
    pub max_threads_per_multiprocessor: u32,
    pub regs_per_block: u32,
    pub regs_per_multiprocessor: u32,
    pub warp_size: u32,
    pub shared_mem_per_block: u64,
    pub shared_mem_per_multiprocessor: u64,
    pub sm_count: u32,
    pub shared_mem_per_block_optin: u64,
    #[serde(flatten)]
    pub rest: Rest,
}

/// An event of the trace. The last one in a file of Paddle is an empty object.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    pub ph: String,
    pub name: String,
    pub cat: String,
    pub pid: Option<u64>,
    /// The thread of an event on the host, as `123(Python)`, `123(C++)` or `123`; of device work the number
    /// of its stream.
    pub tid: serde_json::Value,
    /// Start, µs since 1970.
    pub ts: Option<f64>,
    /// Duration, µs.
    pub dur: Option<f64>,
    pub args: Box<Args>,
    /// The color, which is not read; with a field it does not count as left out.
    #[serde(rename = "cname")]
    _color: Option<IgnoredAny>,
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
    #[serde(rename = "bp")]
    _point: Option<IgnoredAny>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// The arguments of an event of any kind; those that the event lacks are `None`, empty or 0.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Args {
    /// Start relative to the start of the trace, such as `12.345 us`.
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    #[serde(rename = "correlation id")]
    pub correlation: Option<u32>,
    pub device: Option<u64>,
    pub context: Option<u64>,
    pub stream: Option<u64>,
    #[serde(rename = "registers per thread")]
    pub registers: Option<u32>,
    /// Shared memory per block, static and dynamic together, bytes.
    #[serde(rename = "shared memory")]
    pub shared: Option<u32>,
    #[serde(rename = "blocks per SM")]
    pub blocks: Option<f32>,
    #[serde(rename = "warps per SM")]
    pub warps: Option<f32>,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// The theoretical occupancy, percent.
    #[serde(rename = "theoretical achieved occupancy %")]
    pub occupancy: Option<f64>,
    /// Bytes of a copy or memset, of which Paddle prints only the lower 32 bits, in older versions as a
    /// signed number.
    pub bytes: Option<i64>,
    /// The rate of a copy, GB/s.
    #[serde(rename = "memory bandwidth (GB/s)")]
    pub bandwidth: Option<f64>,
    pub value: Option<u32>,
    pub input_shapes: Pairs<Vec<Vec<i64>>>,
    pub input_dtypes: Pairs<Vec<String>>,
    pub callstack: String,
    pub place: String,
    pub addr: String,
    pub increase_bytes: i64,
    pub current_allocated: u64,
    pub current_reserved: u64,
    pub peak_allocated: u64,
    pub peak_reserved: u64,
    /// The name that a metadata event gives, which is not read; with a field it does not count as left out.
    #[serde(rename = "name")]
    _name: Option<IgnoredAny>,
    #[serde(rename = "sort_index")]
    _order: Option<IgnoredAny>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// The members of an object as pairs of key and value, in the order of the text.
pub(super) struct Pairs<T>(pub Vec<(String, T)>);

impl<T> Pairs<T> {
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|pair| &pair.0)
    }
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = members.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        from.deserialize_map(Members(PhantomData))
    }
}
