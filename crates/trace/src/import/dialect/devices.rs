//! Producers that give device work no category: the names of its processes and threads say what it is. XLA
//! (JAX, TensorFlow) and version 1 of rocprof.

use crate::model::{Category, KernelClass, LaneKind};

/// What a process has whose name says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::import) enum Process {
    Device(Device),
    /// Calls of HIP only, as rocprof writes them.
    Calls,
    /// XLA's host, with calls of the runtime among other events.
    Host,
}

impl Process {
    /// What the process of this name has; `None` for other names.
    pub(in crate::import) fn named(process: &[u8]) -> Option<Self> {
        match process {
            _ if process.ends_with(b"CPU HIP API") => Some(Self::Calls),
            XLA_HOST => Some(Self::Host),
            _ => Device::named(process).map(Self::Device),
        }
    }
}

/// A device that is a process.
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
    fn named(process: &[u8]) -> Option<Self> {
        let process = std::str::from_utf8(process).ok()?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(device) = process.strip_prefix("/device:") {
            let (kind, number) = device.split_once(':').filter(|(kind, _)| matches!(*kind, "GPU" | "TPU"))?;
            let id = match kind {
                "TPU" => format!("TPU {number}"),
                // TensorFlow 1 has a process for each stream, such as `/device:GPU:0/stream:all Compute`.
                _ => Some(number.to_owned()).filter(|number| is_number(number))?,
            };
            return Some(Self { id, producer: Producer::Xla });
        }
        let (order, number) = process.split_once(" GPU")?;
        (is_number(order) && is_number(number))
            .then(|| Self { id: number.to_owned(), producer: Producer::Rocprof })
    }
}

/// The category of an event on XLA's host, by its name: `cuda` and `hip` begin the names of the runtime's
/// functions, `cu` the driver's, and `$` those of Python. `None` for other names.
pub(in crate::import) fn on_host(name: &[u8]) -> Option<Category> {
    let begins =
        |prefix: &[u8]| name.strip_prefix(prefix).and_then(<[u8]>::first).is_some_and(u8::is_ascii_uppercase);
    match () {
        () if begins(b"cuda") || begins(b"hip") => Some(Category::CudaRuntime),
        () if begins(b"cu") => Some(Category::CudaDriver),
        () if name.starts_with(b"$") => Some(Category::PythonFunction),
        () => None,
    }
}

/// The name that XLA's profiler gives the process of a host.
pub(in crate::import) const XLA_HOST: &[u8] = b"/host:CPU";

/// True for the name of an XLA thread that is a stream of a GPU, such as `Stream #13(Compute)`.
pub(in crate::import) fn is_stream(thread: &[u8]) -> bool {
    thread.starts_with(b"Stream #")
}

/// True for the name of the XLA thread that has a device's steps, named by their numbers.
pub(in crate::import) fn has_steps(thread: &[u8]) -> bool {
    thread == b"Steps"
}

/// True for the name of an XLA thread that has a device's operations, in which some enclose others.
pub(in crate::import) fn has_operations(thread: &[u8]) -> bool {
    matches!(thread, b"XLA Ops" | b"Sparse Core Ops")
}

/// The kind of lane of a device's thread. Without `has_streams`, as on a TPU, the operations are the device's
/// work; what else XLA writes repeats the work, such as by module.
pub(in crate::import) fn lane(producer: Producer, thread: &[u8], has_streams: bool) -> LaneKind {
    let is_work =
        producer == Producer::Rocprof || is_stream(thread) || !has_streams && has_operations(thread);
    if is_work { LaneKind::Stream } else { LaneKind::StreamRanges }
}

/// The category of work on a device, by its name.
pub(in crate::import) fn work(name: &[u8]) -> Category {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word.as_bytes()));
    match () {
        () if begins(&["Memcpy", "copy-start", "CopyHostTo", "CopyDeviceTo"]) => Category::Memcpy,
        () if begins(&["Memset", "FillBuffer"]) => Category::Memset,
        () => Category::Kernel,
    }
}

/// True if work on a device communicates: by the list of classes, or an operation of XLA that sends, receives
/// or is a part of a collective.
pub(in crate::import) fn communicates(name: &[u8]) -> bool {
    let operation = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    matches!(operation, b"send" | b"send-done" | b"recv" | b"recv-done")
        || operation.starts_with(b"async-collective")
        || KernelClass::of(name) == KernelClass::Communication
}

/// The bytes in XLA's details of a copy or memset, such as `kind_src:pinned size:4096 async:1` or
/// `num_bytes:64`; `None` for other texts.
pub(in crate::import) fn copied_bytes(details: &[u8]) -> Option<i64> {
    let details = std::str::from_utf8(details).ok()?;
    let mut pairs = details.split(' ').filter_map(|pair| pair.split_once(':'));
    pairs.find(|(key, _)| matches!(*key, "size" | "num_bytes"))?.1.parse().ok()
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
        for other in
            ["/device:CPU:0", "/device:GPU:0/stream:all Compute", "/device:GPU:", "python", "GPU0", "the GPU"]
        {
            assert_eq!(Process::named(other.as_bytes()), None, "{other}");
        }
        assert_eq!(Process::named(b"0 CPU HIP API"), Some(Process::Calls));
        assert_eq!(Process::named(b"/host:CPU"), Some(Process::Host));
    }

    #[test]
    fn calls_are_known_by_their_names() {
        for name in ["cudaMemcpyAsync", "hipLaunchKernel"] {
            assert_eq!(on_host(name.as_bytes()), Some(Category::CudaRuntime), "{name}");
        }
        assert_eq!(on_host(b"cuLaunchKernel"), Some(Category::CudaDriver));
        assert_eq!(on_host(b"$train.py:31 step"), Some(Category::PythonFunction));
        for name in ["custom_call", "cu", "hipster"] {
            assert_eq!(on_host(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn lanes_of_devices() {
        use LaneKind::{Stream, StreamRanges};
        for (thread, has_streams, kind) in [
            ("Stream #13(Compute)", true, Stream),
            ("XLA Ops", true, StreamRanges),
            ("XLA Ops", false, Stream),
            ("Sparse Core Ops", false, Stream),
            ("XLA Modules", false, StreamRanges),
            ("Steps", false, StreamRanges),
        ] {
            assert_eq!(lane(Producer::Xla, thread.as_bytes(), has_streams), kind, "{thread}");
        }
        assert_eq!(lane(Producer::Rocprof, b"", false), Stream);
        assert_eq!(work(b"MemcpyH2D"), Category::Memcpy);
        for name in ["send.3", "recv-done", "async-collective-start.1", "all-reduce.2", "collective-permute"]
        {
            assert!(communicates(name.as_bytes()), "{name}");
        }
        assert!(!communicates(b"sender.1"));
        assert_eq!(copied_bytes(b"kind_src:pinned kind_dst:device size:4096 dest:0 async:1"), Some(4096));
        assert_eq!(copied_bytes(b"kind:device num_bytes:64 async:1"), Some(64));
        assert_eq!(copied_bytes(b"kind_src:pinned size: dest:0"), None);
        assert_eq!(work(b"loop_add_fusion"), Category::Kernel);
    }
}
