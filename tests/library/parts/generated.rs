//! Generated traces for the comparison of parts.

use crate::generate::rng::Rng;

/// A trace of up to 400 ns: two threads with nested steps, operators and calls, and with other events across them; further threads with
/// marks of phases; two devices of two streams with kernels, copies,
/// memsets and waits; marks, slices of no length, and the profiler's own span.
pub(super) fn generated(random: &mut Rng) -> String {
    let mut events: Vec<String> = Vec::new();
    let mut correlation = 0;
    let push = |events: &mut Vec<String>,
                cat: &str,
                name: &str,
                pid: u32,
                tid: u32,
                from: i64,
                to: i64,
                args: &str| {
        events.push(event((pid, tid), (cat, name), (from, to), args));
    };
    for thread in 0..2 {
        let mut at = random.below(30) as i64;
        for step in 0..=random.below(3) {
            let begin = at;
            for _ in 0..random.below(4) {
                at += random.below(9) as i64;
                let operator = at;
                at += random.below(6) as i64;
                for _ in 0..random.below(3) {
                    let (from, to) = (at, at + random.below(12) as i64);
                    correlation += 1;
                    let call =
                        ["cudaLaunchKernel", "cudaGraphLaunch", "cudaMemcpyAsync"][random.below(3) as usize];
                    let number = format!(r#""correlation":{correlation}"#);
                    push(&mut events, "cuda_runtime", call, 9, thread, from, to, &number);
                    at = to + random.below(4) as i64;
                }
                if random.below(4) > 0 {
                    let name = ["mm", "add"][random.below(2) as usize];
                    push(&mut events, "cpu_op", name, 9, thread, operator, at, "");
                    if random.below(3) == 0 && at > operator + 2 {
                        push(&mut events, "cpu_op", "mm", 9, thread, operator, at, "");
                    }
                }
            }
            at += random.below(5) as i64;
            if thread == 0 && random.below(3) > 0 && at > begin {
                push(
                    &mut events,
                    "user_annotation",
                    &format!("ProfilerStep#{step}"),
                    9,
                    thread,
                    begin,
                    at,
                    "",
                );
            }
        }
    }
    for thread in 0..random.below(5) as u32 {
        let marks = [
            ("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
            ("user_annotation", "Optimizer.step#SGD.step"),
            ("cpu_op", "autograd::engine::evaluate_function: MmBackward0"),
            ("forward", "Forward"),
            ("backward", "Backward"),
        ];
        let (cat, name) = marks[random.below(5) as usize];
        let from = random.below(200) as i64;
        push(&mut events, cat, name, 9, 10 + thread, from, from + random.below(60) as i64, "");
    }
    across(random, &mut events);
    for device in 0..=(random.below(2) as u32) {
        for stream in 0..=(random.below(2) as u32) {
            let mut at = random.below(60) as i64;
            for _ in 0..random.below(8) {
                at += random.below(3) as i64 * random.below(20) as i64;
                let to = at + random.below(40) as i64;
                let kinds = [
                    ("kernel", "gemm"),
                    ("kernel", "ncclKernel"),
                    ("gpu_memcpy", "Memcpy HtoD"),
                    ("gpu_memset", "Memset"),
                    ("cuda_sync", "wait"),
                ];
                let (cat, name) = kinds[random.below(5) as usize];
                let number = format!(
                    r#""device":{device},"stream":{stream},"correlation":{}"#,
                    random.below(correlation + 4)
                );
                push(&mut events, cat, name, device, 100 + stream, at, to, &number);
                // Some pieces of work lie inside others, or overlap them.
                at = if random.below(4) == 0 { at + random.below(9) as i64 } else { to };
            }
        }
    }
    if random.below(2) == 0 {
        push(&mut events, "Trace", "PyTorch Profiler (0)", 7, 7, 0, 900, "");
    }
    if random.below(2) == 0 {
        events.push(r#"{"ph":"i","name":"Record Window End","pid":7,"tid":7,"ts":0.95,"s":"g"}"#.into());
    }
    push(&mut events, "cpu_op", "add", 9, 5, 20, 20 + random.below(300) as i64, "");
    format!("[{}]", events.join(","))
}

/// Adds events of all kinds on both layers of a thread, nested or overlapping as it comes.
fn across(random: &mut Rng, events: &mut Vec<String>) {
    for number in 0..random.below(12) {
        let kinds = [
            ("cuda_runtime", "cudaStreamSynchronize"),
            ("cuda_driver", "cuCtxSynchronize"),
            ("cuda_runtime", "cudaMemcpy"),
            ("cuda_driver", "cuLaunchKernel"),
            ("operatorinner", "compute"),
            ("dygraphkernellaunch", "launch"),
            ("user_annotation", "mine"),
            ("communication", "send"),
            ("dataloader", "next"),
            ("pythonuserdefined", "range"),
            ("python_function", "f"),
            ("cpu_op", ""),
        ];
        let (cat, name) = kinds[random.below(kinds.len() as u64) as usize];
        let name = if name.is_empty() { format!("operator {number}") } else { name.to_owned() };
        let from = random.below(120) as i64;
        let to = from + random.below(40) as i64;
        events.push(event((9, random.below(3) as u32), (cat, &name), (from, to), ""));
    }
}

/// A complete event on a lane, given as process and thread; `from` and `to` in ns.
fn event((pid, tid): (u32, u32), (cat, name): (&str, &str), (from, to): (i64, i64), args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{:.3},"dur":{:.3},"args":{{{args}}}}}"#,
        from as f64 / 1e3,
        (to - from) as f64 / 1e3
    )
}
