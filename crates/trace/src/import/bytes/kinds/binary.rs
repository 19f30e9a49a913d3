//! Kinds that are recognised before reading. Of several that fit a file the first counts.

use super::foreign::Advice::{Convert, Instead, Unpack};
use super::foreign::{Foreign, Head};
use super::protobuf;

const NSYS2JSON: &str = "python3 nsys2json.py --filename FILE -o FILE.json \
    (github.com/chenyu-jiang/nsys2json), which keeps kernels and NVTX ranges";
const NVPROF2JSON: &str = "python3 nvprof2json.py FILE > FILE.json (github.com/ezyang/nvprof2json), after \
    its munge_time is changed to divide by 1000";
const TRACECONV: &str = "traceconv json FILE FILE.json (perfetto.dev/docs/quickstart/traceconv)";
const IN_THE_TRACE: &str = "open the trace that it was made from, if any";

fn is_sqlite(head: &Head<'_>) -> bool {
    head.begins(&[b"SQLite format 3"])
}

fn is_zip(head: &Head<'_>) -> bool {
    head.begins(&[b"PK\x03\x04"])
}

/// Kinds of files recognised mainly by their first bytes; the first kind that fits counts.
pub(super) const BY_BYTES: &[Foreign] = &[
    Foreign {
        what: "a zip archive with data of PyTorch or NumPy",
        advice: Instead(
            "unzip any trace inside, or export one (in PyTorch with \
             prof.export_chrome_trace(\"trace.json\"))",
        ),
        is: |head| is_zip(head) && (head.has("/data.pkl") || head.has(".npy") || head.has("/byteorder")),
    },
    Foreign {
        what: "a zip archive",
        advice: Unpack(
            "unzip it, and open any trace inside; if it holds one file only, unzip -p FILE | proftui open - \
             does both",
        ),
        is: is_zip,
    },
    Foreign {
        what: "a tar archive",
        advice: Unpack("unpack it with tar -xf FILE, and open any traces inside"),
        is: |head| head.bytes.get(257..262) == Some(b"ustar"),
    },
    Foreign {
        what: "bzip2 data",
        advice: Unpack("decompress it with bunzip2, or bzcat FILE | proftui open -"),
        is: |head| head.begins(&[b"BZh"]),
    },
    Foreign {
        what: "xz data",
        advice: Unpack("decompress it with unxz, or xzcat FILE | proftui open -"),
        is: |head| head.begins(&[b"\xfd7zXZ"]),
    },
    Foreign {
        what: "lz4 data",
        advice: Unpack("decompress it with unlz4, or lz4cat FILE | proftui open -"),
        is: |head| head.begins(&[b"\x04\x22\x4d\x18"]),
    },
    Foreign {
        what: "a 7-Zip archive",
        advice: Unpack("unpack it with 7z x FILE, and open any traces inside"),
        is: |head| head.begins(&[b"7z\xbc\xaf\x27\x1c"]),
    },
    Foreign {
        what: "a database of rocmProfileData (.rpd)",
        advice: Convert("python3 rpd2tracing.py FILE FILE.json (github.com/ROCm/rocmProfileData)"),
        is: |head| is_sqlite(head) && (head.named(&[".rpd"]) || head.has("rocpd_api")),
    },
    Foreign {
        what: "a database of rocprofv3 (rocpd)",
        advice: Convert(
            "rocpd convert -i FILE --output-format pftrace -d . -o OUT, then traceconv json \
             OUT_results.pftrace OUT.json (perfetto.dev)",
        ),
        is: |head| is_sqlite(head) && (head.has("rocpd_") || head.named(&["_results.db"])),
    },
    Foreign {
        what: "a database of the Ascend profiler",
        advice: Instead(
            "open the run's trace_view.json (export_type=ExportType.Text writes it) or msprof_*.json",
        ),
        is: |head| is_sqlite(head) && (head.name.starts_with("ascend_") || head.name.starts_with("msprof")),
    },
    Foreign {
        what: "a profile of nvprof",
        advice: Convert(NVPROF2JSON),
        is: |head| is_sqlite(head) && head.named(&[".nvvp", ".nvprof", ".prof"]),
    },
    Foreign {
        what: "an SQLite database, perhaps of Nsight Systems",
        advice: Convert(NSYS2JSON),
        is: is_sqlite,
    },
    Foreign {
        what: "a report of Nsight Compute (.ncu-rep)",
        advice: Instead(
            "ncu --import FILE --page details prints it; it has metrics and no trace, nsys records a \
             timeline",
        ),
        is: |head| head.begins(&[b"NVR\0"]),
    },
    Foreign {
        what: "a profile of Python's cProfile",
        advice: Instead("it has sums and no timeline; record a trace with viztracer or proftui capture"),
        // A marshalled dict whose first key is a tuple of three: file, line, function.
        is: |head| matches!(head.bytes, [b'{' | 0xfb, b')' | 0xa9, 3, ..]),
    },
    Foreign {
        what: "a file of TensorBoard events",
        advice: Instead("look for traces beside it and in plugins/profile"),
        is: |head| {
            // A record's length comes first, 8 bytes.
            head.bytes.get(2..8) == Some(&[0; 6]) && head.has("brain.Event:")
        },
    },
    Foreign {
        what: "a Fuchsia trace (.fxt)",
        advice: Convert(TRACECONV),
        is: |head| head.begins(&[b"\x10\x00\x04\x46\x78\x54\x16\x00"]),
    },
    Foreign { what: "a Parquet table", advice: Instead(IN_THE_TRACE), is: |head| head.begins(&[b"PAR1"]) },
    Foreign {
        what: "an Arrow or Feather table",
        advice: Instead(IN_THE_TRACE),
        is: |head| head.begins(&[b"ARROW1", b"FEA1"]),
    },
    Foreign {
        what: "an HDF5 file",
        advice: Instead(IN_THE_TRACE),
        is: |head| head.begins(&[b"\x89HDF\r\n\x1a\n"]),
    },
    Foreign {
        what: "an array of NumPy",
        advice: Instead(IN_THE_TRACE),
        is: |head| head.begins(&[b"\x93NUMPY"]),
    },
    Foreign {
        what: "a recording of Linux perf",
        advice: Instead("perf script -i FILE prints it; it has no slices"),
        is: |head| head.begins(&[b"PERFILE2"]),
    },
    Foreign {
        what: "a recording of memray",
        advice: Instead("memray flamegraph FILE draws it"),
        is: |head| head.begins(&[b"memray"]),
    },
    Foreign {
        what: "a picture or a document",
        advice: Instead(IN_THE_TRACE),
        is: |head| head.begins(&[b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF"]),
    },
    Foreign {
        what: "an ELF file, such as a program",
        advice: Instead("proftui capture -- PROGRAM records a trace of a program"),
        is: |head| head.begins(&[b"\x7fELF"]),
    },
    Foreign {
        what: "UTF-16 text",
        advice: Convert("iconv -f UTF-16 -t UTF-8 FILE > FILE.json"),
        is: |head| head.begins(&[b"\xff\xfe", b"\xfe\xff"]),
    },
    Foreign {
        what: "a Git LFS pointer",
        advice: Unpack("fetch the file with git lfs pull"),
        is: |head| head.begins(&[b"version https://git-lfs"]),
    },
    Foreign {
        what: "PyTorch's memory timeline (HTML)",
        advice: Instead(
            "it is a picture; record with profile_memory=True and export_chrome_trace, which has the \
             allocations",
        ),
        is: |head| head.text().starts_with(b"<") && head.has("<title>GPU Memory Timeline HTML"),
    },
    Foreign {
        what: "a page of PyTorch's memory viewer (HTML)",
        advice: Instead("open it in a browser, or record a trace with profile(profile_memory=True)"),
        is: |head| head.text().starts_with(b"<") && head.has("MemoryViz.js"),
    },
    Foreign {
        what: "text that begins like HTML or XML, perhaps a report of VizTracer or the error page of a \
            failed download",
        advice: Unpack("download the trace again, or write it as .json (viztracer -o trace.json)"),
        is: |head| head.text().starts_with(b"<"),
    },
];

/// Kinds recognised by weaker signs, mostly the file's name, when the bytes are neither JSON nor known.
pub(super) const BY_NAME: &[Foreign] = &[
    Foreign {
        what: "a recording of Nsight Systems (.qdstrm)",
        advice: Instead("QdstrmImporter -i FILE makes a report of it, which can be converted"),
        is: |head| head.named(&[".qdstrm"]),
    },
    Foreign {
        what: "a report of Nsight Systems",
        advice: Convert(
            "nsys export -t sqlite -o T.sqlite FILE, then python3 nsys2json.py --filename T.sqlite -o T.json \
             (github.com/chenyu-jiang/nsys2json)",
        ),
        is: |head| head.named(&[".nsys-rep", ".qdrep"]) || head.begins(&[b"NVTX"]),
    },
    Foreign {
        what: "a report of Nsight Compute (.ncu-rep)",
        advice: Instead("ncu --import FILE --page details prints it; it has metrics and no trace"),
        is: |head| head.named(&[".ncu-rep"]),
    },
    Foreign {
        what: "a profile of nvprof",
        advice: Convert(NVPROF2JSON),
        is: |head| head.named(&[".nvvp", ".nvprof"]),
    },
    Foreign {
        what: "an XPlane profile, such as JAX writes",
        advice: Convert(
            "python3 -c \"from xprof.convert.raw_to_tool_data import *; \
             print(xspace_to_tool_data(['FILE'],'trace_viewer',{})[0])\" > FILE.json",
        ),
        is: |head| protobuf::is_xplane(head.bytes) || head.named(&[".xplane.pb"]),
    },
    Foreign {
        what: "a profile of pprof",
        advice: Instead("it has sums and no timeline; go tool pprof -top prints it"),
        is: |head| protobuf::is_pprof(head.bytes) || head.named(&[".pprof"]),
    },
    Foreign {
        what: "a Perfetto trace (protobuf)",
        advice: Convert(TRACECONV),
        is: |head| {
            head.named(&[".pftrace", ".perfetto-trace", ".perfetto"]) || protobuf::is_perfetto(head.bytes)
        },
    },
    Foreign {
        what: "a Chakra execution trace",
        advice: Instead("open the profiler's trace of the same run"),
        is: |head| head.named(&[".et", ".chakra"]),
    },
    Foreign {
        what: "a file of tensors or a model",
        advice: Instead("export a trace (in PyTorch with prof.export_chrome_trace(\"trace.json\"))"),
        is: |head| head.named(&[".pt", ".pth", ".ckpt", ".safetensors", ".onnx", ".gguf"]),
    },
    Foreign {
        what: "probably protobuf data of a kind that proftui does not know",
        advice: Unpack("of protobuf, proftui reads only Paddle's .paddle_trace.pb and old binary profiles"),
        is: |head| protobuf::is_likely(head.bytes),
    },
];
