//! The shapes of inputs: each grows in one direction that once was, or could be, more than n log n work.
//!
//! Each is a function from the number of events, about, to the text of a trace. Must not know what reads it.

use super::events::{Events, PID};

/// A shape of input.
pub struct Shape {
    /// The name of the shape in the table.
    pub name: &'static str,
    /// Makes the text with about this many events.
    pub text: fn(usize) -> String,
    /// True for a profile of Paddle, which `convert` reads.
    pub is_paddle: bool,
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape { name: "training", text: training, is_paddle: false },
    Shape { name: "nested", text: nested, is_paddle: false },
    Shape { name: "nested ranges", text: nested_ranges, is_paddle: false },
    Shape { name: "nested launches", text: nested_launches, is_paddle: false },
    Shape { name: "nested frames", text: nested_frames, is_paddle: false },
    Shape { name: "overlapping", text: overlapping, is_paddle: false },
    Shape { name: "overlapping work", text: overlapping_work, is_paddle: false },
    Shape { name: "overlapping steps", text: overlapping_steps, is_paddle: false },
    Shape { name: "autograd steps", text: autograd_steps, is_paddle: false },
    Shape { name: "short steps", text: short_steps, is_paddle: false },
    Shape { name: "served steps", text: served_steps, is_paddle: false },
    Shape { name: "repeating launches", text: repeating_launches, is_paddle: false },
    Shape { name: "one time", text: one_time, is_paddle: false },
    Shape { name: "one async id", text: one_async_id, is_paddle: false },
    Shape { name: "unclosed begins", text: unclosed_begins, is_paddle: false },
    Shape { name: "one flow", text: one_flow, is_paddle: false },
    Shape { name: "one correlation", text: one_correlation, is_paddle: false },
    Shape { name: "threads", text: threads, is_paddle: false },
    Shape { name: "processes", text: processes, is_paddle: false },
    Shape { name: "devices", text: devices, is_paddle: false },
    Shape { name: "long names", text: long_names, is_paddle: false },
    Shape { name: "long stacks", text: long_stacks, is_paddle: false },
    Shape { name: "memory", text: memory, is_paddle: false },
    Shape { name: "counters", text: counters, is_paddle: false },
    Shape { name: "damage", text: damage, is_paddle: false },
    Shape { name: "paddle", text: paddle, is_paddle: true },
    Shape { name: "nested paddle", text: nested_paddle, is_paddle: true },
];

/// Training as it is: steps of 25 operators, each with a launch and a kernel, and communication.
fn training(n: usize) -> String {
    let mut events = Events::default();
    for step in 0..=n / 77 {
        let at = step * 10_000;
        events.slice("user_annotation", &format!("ProfilerStep#{step}"), 1, (at, 9_000), "");
        for op in 0..25 {
            let (ts, id) = (at + op * 300, step * 25 + op);
            let shapes = format!(r#""Input Dims":[[{},8],[8]],"Input type":["float","float"]"#, op % 5);
            events.slice("cpu_op", &format!("aten::op{op}"), 1, (ts, 100), &shapes);
            events.launch(id, (ts + 10, 10));
            let name = if op % 8 == 7 { "ncclDevKernel_AllReduce" } else { "gemm" };
            events.work("kernel", name, (0, 7 + op / 24), id, (ts + 50, 200));
        }
        events.slice("user_annotation", "Optimizer.step#SGD.step", 1, (at + 8_000, 500), "");
    }
    events.torch()
}

/// Operators, each within the one before, all of other names.
fn nested(n: usize) -> String {
    let mut events = Events::default();
    (0..n).for_each(|i| events.operator(&format!("op{i}"), (i, 2 * (n - i))));
    events.torch()
}

/// Named ranges, each within the one before, and every second of the same name, with work launched in the
/// innermost.
fn nested_ranges(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let name = if i % 2 == 0 { "forward".to_owned() } else { format!("layer{i}") };
        events.slice("user_annotation", &name, 1, (i, 4 * (n - i)), "");
    }
    for i in 0..n / 4 {
        events.launch(i, (n + i, 1));
        events.work("kernel", "gemm", (0, 7), i, (9 * n + 3 * i, 2));
    }
    events.torch()
}

/// Operators, each within the one before, and as many launches in the innermost of them, with their kernels.
fn nested_launches(n: usize) -> String {
    let mut events = Events::default();
    (0..n / 2).for_each(|i| events.operator(&format!("op{}", i % 50), (i, 4 * (n - i))));
    for i in 0..n / 4 {
        events.launch(i, (n + i, 1));
        events.work("kernel", &format!("gemm{}", i % 50), (0, 7), i, (9 * n + 3 * i, 2));
    }
    events.torch()
}

/// Frames of Python, each within the one before, with operators in the innermost.
fn nested_frames(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let parent = if i == 0 { "null".to_owned() } else { (i - 1).to_string() };
        let args = format!(r#""Python id":{i},"Python parent id":{parent}"#);
        events.slice("python_function", &format!("model.py({i}): layer{i}"), 1, (i, 4 * (n - i)), &args);
    }
    // Half of them after the frames.
    (0..n / 2).for_each(|i| events.operator(&format!("op{}", i % 50), (n + i + i / (n / 4) * 9 * n, 1)));
    for i in 0..n / 8 {
        events.launch(i, (n + n / 2 + i, 1));
        events.launch(n + i, (20 * n + i, 1));
    }
    events.torch()
}

/// Operators that all overlap, none within another.
fn overlapping(n: usize) -> String {
    let mut events = Events::default();
    (0..n).for_each(|i| events.operator(&format!("op{}", i % 50), (10 * i, 100 * n)));
    events.torch()
}

/// Kernels of one stream that all overlap, with their launches.
fn overlapping_work(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let name = if i % 3 == 0 { "ncclDevKernel_AllReduce" } else { "gemm" };
        events.launch(i, (10 * i, 5));
        events.work("kernel", name, (0, 7), i, (10 * i + 5, 100 * n));
    }
    events.torch()
}

/// Steps that all overlap, with phases, data loading and work of which each lies in many of them.
fn overlapping_steps(n: usize) -> String {
    let mut events = Events::default();
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    for i in 0..n / 6 {
        let ts = 30 * i;
        events.slice("user_annotation", &format!("ProfilerStep#{i}"), 1, (ts, 300 * n), "");
        events.slice("user_annotation", loader, 1, (ts + 1, 4), "");
        events.slice("user_annotation", "## forward ##", 2, (ts + 5, 9), "");
        events.slice("user_annotation", "Optimizer.step#SGD.step", 2, (ts + 15, 9), "");
        events.launch(i, (ts + 6, 5));
        events.work("kernel", if i % 2 == 0 { "ncclKernel" } else { "gemm" }, (0, 7), i, (ts + 20, 20));
    }
    events.torch()
}

/// Steps that all overlap and mark no phases: in each are the operators that begin after it, and all events
/// of autograd.
fn autograd_steps(n: usize) -> String {
    let mut events = Events::default();
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    for i in 0..n / 6 {
        let ts = 30 * i;
        events.slice("user_annotation", &format!("ProfilerStep#{i}"), 1, (ts, 300 * n), "");
        events.slice("user_annotation", loader, 2, (ts + 3, 2), "");
        events.operator("aten::mm", (ts + 1, 9));
        events.slice("user_annotation", "Optimizer.step#SGD.step", 2, (ts + 15, 9), "");
        events.launch(i, (ts + 6, 3));
        let engine = "autograd::engine::evaluate_function: MmBackward0";
        events.slice("cpu_op", engine, 2, (30 * n + ts, 20), "");
    }
    events.torch()
}

/// As many steps as operators and data loading.
fn short_steps(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 4 {
        let ts = 100 * i;
        events.slice("user_annotation", &format!("ProfilerStep#{i}"), 1, (ts, 90), "");
        events.slice(
            "user_annotation",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            1,
            (ts + 1, 9),
            "",
        );
        events.launch(i, (ts + 20, 10));
        events.work("kernel", "gemm", (0, 7), i, (ts + 40, 90));
    }
    events.torch()
}

/// Steps of a serving engine of ever other batch sizes, with annotations in them, and more of those all
/// within one.
fn served_steps(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 8 {
        let ts = 100 * i;
        events.slice(
            "user_annotation",
            &format!("execute_context_0(0)_generation_{i}({i})"),
            1,
            (ts, 90),
            "",
        );
        events.slice("user_annotation", &format!("step[DECODE bs={i}]"), 1, (ts + 1, 80), "");
        events.launch(i, (ts + 20, 10));
        events.work("kernel", &format!("gemm{i}"), (0, 7), i, (ts + 40, 90));
        events.slice("user_annotation", "step[DECODE bs=1]", 2, (i, 200 * n - 2 * i), "");
        events.slice(
            "cuda_runtime",
            "cudaLaunchKernel",
            2,
            (500 * n + i, 1),
            &format!(r#""correlation":{}"#, n + i),
        );
        events.work("kernel", "norm", (0, 8), n + i, (600 * n + 3 * i, 2));
    }
    events.torch()
}

/// Launches of ever other kernels, which recur in the same order, but for the last one: the pattern is not
/// clear, wherever it begins.
fn repeating_launches(n: usize) -> String {
    let mut events = Events::default();
    let length = n / 6;
    for i in 0..3 * length - 1 {
        events.launch(i, (10 * i, 5));
        events.work("kernel", &format!("kernel{}", i % length), (0, 7), i, (10 * i + 7, 9));
    }
    events.torch()
}

/// Events that all start at the same time: a third without a length, a third of the same length, a third with
/// a stream.
fn one_time(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 3 {
        events.operator(&format!("op{}", i % 50), (1_000, 0));
        events.slice("cpu_op", &format!("op{}", i % 50), 2, (1_000, 500), "");
        events.work("kernel", "gemm", (0, 7), i, (1_000, 0));
    }
    events.torch()
}

/// Beginnings and ends of asynchronous events of one id, name and time; the beginnings first.
fn one_async_id(n: usize) -> String {
    let mut events = Events::default();
    for ph in ['b', 'e'] {
        (0..n / 2).for_each(|_| events.point(ph, "request", 1_000, r#","cat":"async","id":"0x1""#));
    }
    events.torch()
}

/// Beginnings without an end, of other names.
fn unclosed_begins(n: usize) -> String {
    let mut events = Events::default();
    (0..n).for_each(|i| events.point('B', &format!("op{}", i % 50), i, r#","cat":"cpu_op""#));
    events.torch()
}

/// Points of flows that all have one id, within operators.
fn one_flow(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 3 {
        let ph = if i % 2 == 0 { 's' } else { 'f' };
        events.operator("op", (10 * i, 8));
        events.point(ph, "fwdbwd", 10 * i, r#","cat":"fwdbwd","id":1,"bp":"e""#);
        events.point(ph, "ac2g", 10 * i + 1, r#","cat":"ac2g","id":1,"bp":"e""#);
    }
    events.torch()
}

/// Launches and kernels that all have one correlation.
fn one_correlation(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        events.launch(1, (10 * i, 5));
        events.work("kernel", "gemm", (0, 7), 1, (10 * i + 5, 5));
    }
    events.torch()
}

/// Threads with an operator each, and their names.
fn threads(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 3 {
        events.raw(&format!(
            r#""ph":"M","name":"thread_name","pid":{PID},"tid":{i},"args":{{"name":"thread {i}"}}"#
        ));
        events.slice("cpu_op", "op", i, (10 * i, 50), "");
        events.slice("cuda_runtime", "cudaLaunchKernel", i, (10 * i + 5, 5), "");
    }
    events.torch()
}

/// Processes with a thread each, of the host.
fn processes(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 3 {
        let pid = 100 + i;
        events.raw(&format!(
            r#""ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":"python {i}"}}"#
        ));
        for name in ["op", "launch"] {
            events.raw(&format!(
                r#""ph":"X","cat":"cpu_op","name":"{name}","pid":{pid},"tid":1,"ts":{},"dur":50"#,
                10 * i
            ));
        }
    }
    events.torch()
}

/// Devices and streams with a kernel each.
fn devices(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let stream = if i % 2 == 0 { (i % 1_000, 7) } else { (0, i) };
        events.launch(i, (10 * i, 5));
        events.work("kernel", "gemm", stream, i, (10 * i + 5, 50));
    }
    events.torch()
}

/// Kernels and operators of long names, all different.
fn long_names(n: usize) -> String {
    let mut events = Events::default();
    let long = "void at::native::elementwise_kernel<at::Functor<float>, ".repeat(4);
    for i in 0..n / 3 {
        let name = format!("{long}{i}>(int, float)");
        events.operator(&name, (10 * i, 8));
        events.launch(i, (10 * i + 1, 5));
        events.work("kernel", &name, (0, 7), i, (10 * i + 5, 5));
    }
    events.torch()
}

/// Operators with call stacks and shapes that all differ.
fn long_stacks(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 3 {
        let frames: Vec<String> = (0..20).map(|f| format!("model.py({}): layer{f}", i % 900 + f)).collect();
        let args = format!(
            r#""Call stack":"{};train.py({i}): main","Input Dims":[[{i},{i}],[8,{i}]],"Input type":["float","float"]"#,
            frames.join(";")
        );
        events.slice("cpu_op", "aten::mm", 1, (10 * i, 8), &args);
        events.launch(i, (10 * i + 1, 5));
        events.work("kernel", "gemm", (0, 7), i, (10 * i + 5, 5));
    }
    events.torch()
}

/// Allocations, of which most are never freed, within operators.
fn memory(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let (bytes, address) = if i % 4 == 3 { (-64, i - 1) } else { (64, i) };
        let args = format!(
            r#","s":"t","cat":"cpu_instant_event","args":{{"Total Allocated":{i},"Total Reserved":{i},"Bytes":{bytes},"Addr":{address},"Device Id":-1,"Device Type":0}}"#
        );
        events.operator(&format!("op{}", i % 50), (10 * i, 8));
        events.point('i', "[memory]", 10 * i + 2, &args);
    }
    events.torch()
}

/// Values of one counter, and counters of one value.
fn counters(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        events.point('C', "busy", i, &format!(r#","args":{{"percent":{i}}}"#));
        events.point('C', &format!("counter{i}"), i, r#","args":{"value":1}"#);
    }
    events.torch()
}

/// Operators of which every second is damaged, in other ways.
fn damage(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        events.operator("op", (10 * i, 8));
        match i % 4 {
            0 => events.raw(&format!(r#""ph":"X","name":"broken"name","pid":1,"tid":1,"ts":{i},"dur":1"#)),
            1 => events.raw(&format!(r#""ph":"X","name":"op","pid":1 "tid":1,"ts":{i},"dur":1"#)),
            2 => events.raw(&format!(r#""ph":"X","name":"op","pid":1,"tid":1,"ts":{i},"dur":[[1"#)),
            _ => events.raw(r#""ph":"X","name":"op","pid":1,"tid":1,"ts":"never","dur":-5"#),
        }
    }
    events.torch()
}

/// An event as Paddle writes it.
fn of_paddle(events: &mut Events, cat: &str, name: &str, span: (usize, usize), args: &str) {
    let (ts, dur) = span;
    events.raw(&format!(
        r#""name":"{name}[{dur}.000 us]","pid":{PID},"tid":"{PID}(Python)","ts":{ts},"dur":{dur}.000,"ph":"X","cat":"{cat}","args":{{{args}"start_time":"{ts}.000 us","end_time":"{}.000 us"}}"#,
        ts + dur
    ));
}

/// A kernel as Paddle writes it.
fn kernel_of_paddle(events: &mut Events, correlation: usize, (ts, dur): (usize, usize)) {
    events.raw(&format!(
        r#""name":"gemm[{dur}.000 us]","pid":0,"tid":7,"ts":{ts},"dur":{dur}.000,"ph":"X","cat":"Kernel","args":{{"start_time":"{ts}.000 us","end_time":"{}.000 us","device":0,"context":1,"stream":7,"correlation id":{correlation},"registers per thread":32,"shared memory":0,"grid":[1,1,1],"block":[128,1,1]}}"#,
        ts + dur
    ));
}

/// Steps, operators, their inner parts, launches and kernels of Paddle, and its memory events.
fn paddle(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 5 {
        let ts = 100 * i;
        if i % 25 == 0 {
            of_paddle(&mut events, "ProfileStep", &format!("ProfileStep#{}", i / 25), (ts, 2_490), "");
            of_paddle(&mut events, "Forward", "Linear", (ts, 1_200), "");
        }
        of_paddle(&mut events, "Operator", &format!("matmul{}", i % 25), (ts + 1, 80), "");
        of_paddle(&mut events, "OperatorInner", "matmul infer_meta", (ts + 2, 40), "");
        let correlation = format!(r#""correlation id":{i},"#);
        of_paddle(&mut events, "CudaRuntime", "cudaLaunchKernel", (ts + 50, 10), &correlation);
        kernel_of_paddle(&mut events, i, (ts + 70, 20));
        events.raw(&format!(
            r#""name":"[memory]","pid":{PID},"tid":"{PID}(C++)","ts":{ts},"ph":"i","cat":"Allocate","args":{{"place":"Place(gpu:0)","addr":"{i}","increase_bytes":256,"current_allocated":1,"current_reserved":1,"peak_allocated":1,"peak_reserved":1}}"#
        ));
    }
    events.paddle()
}

/// Operators of Paddle, each within the one before, with launches in the innermost.
fn nested_paddle(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n / 2 {
        let cat = if i % 2 == 0 { "Operator" } else { "PythonUserDefined" };
        of_paddle(&mut events, cat, &format!("op{i}"), (i, 4 * (n - i)), "");
    }
    for i in 0..n / 4 {
        let correlation = format!(r#""correlation id":{i},"#);
        of_paddle(&mut events, "CudaRuntime", "cudaLaunchKernel", (n + i, 1), &correlation);
        kernel_of_paddle(&mut events, i, (9 * n + 3 * i, 2));
    }
    events.paddle()
}
