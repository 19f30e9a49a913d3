//! Kinds of JSON and plain text that a reader refused. Of several that fit a file the first counts.

use super::foreign::Advice::Instead;
use super::foreign::{Foreign, Head};

/// True when the text begins like a JSON object.
fn is_json_object(head: &Head<'_>) -> bool {
    head.text().starts_with(b"{")
}

/// True for text that begins like an array of arrays of numbers, such as `[[0,1],[…`.
fn is_array_of_arrays(head: &Head<'_>) -> bool {
    let inner = head.text().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let inner = inner.and_then(|inner| inner.strip_prefix(b"[")).map(<[u8]>::trim_ascii_start);
    inner.and_then(|inner| inner.first()).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
}

/// The first line that is not blank, without white space around it; `None` when its line break is not among
/// the first bytes.
fn first_line<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    let text = head.text();
    memchr::memchr(b'\n', text).map(|end| text[..end].trim_ascii_end())
}

/// True when the first line looks like a folded stack: `frame;frame count`.
fn is_folded(head: &Head<'_>) -> bool {
    let Some((frames, count)) =
        first_line(head).and_then(|line| line.iter().rposition(|&b| b == b' ').map(|at| line.split_at(at)))
    else {
        return false;
    };
    frames.contains(&b';') && count.len() > 1 && count[1..].iter().all(u8::is_ascii_digit)
}

/// True for what seems to be a table, by its first line or the file's name.
fn is_table(head: &Head<'_>) -> bool {
    let is_field_end = |byte: &&u8| matches!(byte, b',' | b'\t');
    !matches!(head.text().first(), Some(b'[' | b'{'))
        && first_line(head).is_some_and(|line| {
            line.iter().filter(is_field_end).count() >= 2 && !line.iter().any(u8::is_ascii_control)
                || head.named(&[".csv", ".tsv"])
        })
}

/// Kinds of JSON and plain text, recognised by keys, by their form or by the file's name. The first kind that
/// fits counts.
pub(super) const KINDS: &[Foreign] = &[
    Foreign {
        what: "a profile of py-spy (speedscope)",
        advice: Instead("record again with py-spy record --format chrometrace, which proftui reads"),
        is: |head| head.has("speedscope.app/file-format-schema") && head.has("py-spy"),
    },
    Foreign {
        what: "a speedscope profile",
        advice: Instead("open it at speedscope.app; py-spy also records --format chrometrace"),
        is: |head| head.has("speedscope.app/file-format-schema") || head.named(&[".speedscope.json"]),
    },
    Foreign {
        what: "a profile of rocprofv3 (JSON)",
        advice: Instead(
            "record with rocprofv3 --output-format pftrace -d . -o OUT, then traceconv json \
             OUT_results.pftrace OUT.json (perfetto.dev)",
        ),
        is: |head| is_json_object(head) && head.has("\"rocprofiler-sdk-tool\""),
    },
    Foreign {
        what: "an execution trace of PyTorch (Chakra)",
        advice: Instead("open the profiler's trace of the same run"),
        is: |head| {
            is_json_object(head)
                && head.has("\"schema\"")
                && (head.has("chakra") || head.has("\"nodes\""))
                && !head.has("\"callFrame\"")
        },
    },
    Foreign {
        what: "a CPU profile of V8 (.cpuprofile)",
        advice: Instead("it has samples and no slices; speedscope.app opens it"),
        is: |head| is_json_object(head) && head.has("\"nodes\"") && head.has("\"callFrame\""),
    },
    Foreign {
        what: "a PyTorch memory snapshot (JSON)",
        advice: Instead(
            "save it as a pickle (torch.cuda.memory._dump_snapshot), which is read, or record with \
             profile(profile_memory=True)",
        ),
        is: |head| is_json_object(head) && (head.has("\"segments\"") || head.has("\"device_traces\"")),
    },
    Foreign {
        what: "Nsight Systems' own JSON (nsys export --type json)",
        advice: Instead(
            "run nsys export --type sqlite -o OUT.sqlite REPORT, then python3 nsys2json.py --filename \
             OUT.sqlite -o OUT.json (github.com/chenyu-jiang/nsys2json)",
        ),
        is: |head| {
            ["\"TargetSystemInformation\"", "\"CudaEvent\"", "\"NvtxEvent\"", "\"TraceProcessEvent\""]
                .iter()
                .any(|key| head.has(key))
        },
    },
    Foreign {
        what: "a tree of Triton's proton (.hatchet)",
        advice: Instead("it has sums and no timeline; record with proton.start(name, data=\"trace\")"),
        is: |head| head.has("\"frame\"") && head.has("\"metrics\"") || head.named(&[".hatchet"]),
    },
    Foreign {
        what: "PyTorch's memory timeline",
        advice: Instead("record with profile_memory=True and export_chrome_trace, which has the allocations"),
        is: is_array_of_arrays,
    },
    Foreign {
        what: "a file of folded stacks",
        advice: Instead("it has sums and no timeline; speedscope.app or flamegraph.pl draws it"),
        is: is_folded,
    },
    Foreign {
        what: "a table, by its name of the Ascend profiler",
        advice: Instead("open trace_view.json or msprof_*.json beside it"),
        is: |head| {
            is_table(head)
                && ["kernel_details", "op_statistic", "step_trace_time", "operator_"]
                    .iter()
                    .any(|name| head.name.starts_with(name))
        },
    },
    Foreign {
        what: "a table (CSV)",
        advice: Instead("open the trace that it was made from, if any"),
        is: is_table,
    },
];
