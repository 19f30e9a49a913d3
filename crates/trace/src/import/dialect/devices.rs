//! Producers that give device work no category: the names of its processes and threads say what it is. XLA
//! (JAX, TensorFlow) and version 1 of rocprof.

use crate::model::{Category, LaneKind};

/// What has a process whose name says that it is a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::import) struct Device {
    /// The device's id: a number for a GPU, else kind and number, such as `TPU 0`.
    pub id: String,
    pub producer: Producer,
}

/// The producer whose names they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Producer {
    Xla,
    Rocprof,
}

impl Device {
    /// The device in the name of a process, such as `/device:TPU:0` (XLA) or `1 GPU0` (rocprof); `None` for
    /// other names.
    pub(in crate::import) fn named(process: &[u8]) -> Option<Self> {
        let process = std::str::from_utf8(process).ok()?;
        if let Some(device) = process.strip_prefix("/device:") {
            let (kind, number) = device.split_once(':').filter(|(kind, _)| matches!(*kind, "GPU" | "TPU"))?;
            let is_gpu = kind == "GPU" && number.bytes().all(|byte| byte.is_ascii_digit());
            let id = if is_gpu { number.to_owned() } else { format!("{kind} {number}") };
            return Some(Self { id, producer: Producer::Xla });
        }
        let (order, number) = process.split_once(" GPU")?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(order) && is_number(number))
            .then(|| Self { id: number.to_owned(), producer: Producer::Rocprof })
    }
}

/// True for the name of the process in which rocprof writes the calls of HIP.
pub(in crate::import) fn has_runtime_calls(process: &[u8]) -> bool {
    process.ends_with(b"CPU HIP API")
}

/// True for the name of an XLA thread that is a stream of a GPU, such as `Stream #13(Compute)`.
pub(in crate::import) fn is_stream(thread: &[u8]) -> bool {
    thread.starts_with(b"Stream #")
}

/// True for the name of the XLA thread that has a device's steps, named by their numbers.
pub(in crate::import) fn has_steps(thread: &[u8]) -> bool {
    thread == b"Steps"
}

/// The kind of lane of a device's thread. Without `has_streams`, as on a TPU, the operations are the device's
/// work; what else XLA writes repeats the work, such as by module.
pub(in crate::import) fn lane(producer: Producer, thread: &[u8], has_streams: bool) -> LaneKind {
    let is_work = producer == Producer::Rocprof || is_stream(thread) || !has_streams && thread == b"XLA Ops";
    if is_work { LaneKind::Stream } else { LaneKind::StreamRanges }
}

/// The category of work on a device, by its name.
pub(in crate::import) fn work(name: &[u8]) -> Category {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word.as_bytes()));
    match () {
        () if begins(&["Memcpy", "copy-start", "Copy"]) => Category::Memcpy,
        () if begins(&["Memset", "Fill"]) => Category::Memset,
        () => Category::Kernel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_are_devices() {
        let id = |name: &str| Device::named(name.as_bytes()).map(|device| device.id);
        assert_eq!(id("/device:GPU:3").as_deref(), Some("3"));
        assert_eq!(id("/device:TPU:0").as_deref(), Some("TPU 0"));
        assert_eq!(id("/device:TPU:0 SparseCore 1").as_deref(), Some("TPU 0 SparseCore 1"));
        assert_eq!(id("1 GPU0").as_deref(), Some("0"));
        for other in ["/host:CPU", "/device:CPU:0", "python", "0 CPU HIP API", "GPU0", "the GPU"] {
            assert_eq!(id(other), None, "{other}");
        }
    }

    #[test]
    fn lanes_of_devices() {
        use LaneKind::{Stream, StreamRanges};
        for (thread, has_streams, kind) in [
            ("Stream #13(Compute)", true, Stream),
            ("XLA Ops", true, StreamRanges),
            ("XLA Ops", false, Stream),
            ("XLA Modules", false, StreamRanges),
            ("Steps", false, StreamRanges),
        ] {
            assert_eq!(lane(Producer::Xla, thread.as_bytes(), has_streams), kind, "{thread}");
        }
        assert_eq!(lane(Producer::Rocprof, b"", false), Stream);
        assert_eq!(work(b"MemcpyH2D"), Category::Memcpy);
        assert_eq!(work(b"loop_add_fusion"), Category::Kernel);
    }
}
