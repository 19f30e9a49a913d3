//! Everything that is delivered is in the trace, linked.

use proftui_trace::model::Category;

use super::rig::{Captured, GENERATIONS, Setting, fakes};

/// CUPTI's numbers of kinds.
pub(crate) const MEMCPY: u32 = 1;
pub(crate) const MEMSET: u32 = 2;
pub(crate) const KERNEL: u32 = 10;

/// A row of the printed table.
pub(crate) fn row(what: &str, captured: &Captured) {
    println!(
        "{what:36} kernels {:6} of {:6}, copies {:4} of {:4}, fills {:4} of {:4}, calls {:6}, links {:6}, status {}",
        captured.count(Category::Kernel),
        captured.delivered(KERNEL),
        captured.count(Category::Memcpy),
        captured.delivered(MEMCPY),
        captured.count(Category::Memset),
        captured.delivered(MEMSET),
        captured.count(Category::CudaRuntime) + captured.count(Category::CudaDriver),
        captured.links(),
        captured.output.status,
    );
}

#[test]
fn twenty_thousand_launches_on_four_threads_and_three_streams() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let arguments = ["--launches", "20000", "--threads", "4", "--streams", "3"];
        let captured = setting.capture(fakes, "program", &arguments);
        row(&format!("CUPTI {generation}"), &captured);
        assert!(captured.output.status.success(), "{}", captured.said());
        assert_eq!(captured.count(Category::Kernel), 20_000, "{}", captured.said());
        assert_eq!(captured.links(), 20_000);
        // Streams are made and waited for, too.
        assert!((20_000..20_010).contains(&captured.count(Category::CudaRuntime)));
        assert_eq!(captured.traces.len(), 1);
        let trace = &captured.traces[0].trace;
        assert_eq!((trace.links.orphan_work, trace.quality.dropped), (0, 0));
        assert_eq!(trace.devices.len(), 1);
    }
}

/// As in a run of more than four billion calls. One launch has the number 0, which stands for none.
#[test]
#[ignore = "long: .ci/long runs it"]
fn correlation_numbers_that_begin_again_link_all_launches() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting =
            Setting { generation: Some(generation), script: "correlation 4294957295", ..Setting::default() };
        let captured = setting.capture(fakes, "program", &["--launches", "20000", "--threads", "2"]);
        row(&format!("CUPTI {generation}, numbers begin again"), &captured);
        assert_eq!(
            (captured.count(Category::Kernel), captured.links()),
            (20_000, 19_999),
            "{}",
            captured.said()
        );
        let fact = |key| captured.fact(key).unwrap_or_default();
        assert_eq!(
            (fact("proftui.gpu.work_without_launch"), fact("proftui.gpu.lost")),
            ("1".into(), "0".into())
        );
    }
}

#[test]
fn copies_fills_and_graphs_too() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let arguments = [
            "--launches",
            "100",
            "--copies",
            "40",
            "--sets",
            "30",
            "--graphs",
            "5",
            "--nodes",
            "8",
            "--streams",
            "2",
        ];
        let captured = setting.capture(fakes, "program", &arguments);
        row(&format!("CUPTI {generation}, copies, fills, graphs"), &captured);
        assert!(captured.output.status.success(), "{}", captured.said());
        assert_eq!(captured.count(Category::Kernel), captured.delivered(KERNEL));
        assert_eq!(captured.count(Category::Memcpy), captured.delivered(MEMCPY));
        assert_eq!(captured.count(Category::Memset), captured.delivered(MEMSET));
        assert_eq!(captured.count(Category::Memset), 30);
        assert!(captured.count(Category::Kernel) >= 100 + 5 * 8, "one launch of a graph, many kernels");
        let work = captured.delivered(KERNEL) + captured.delivered(MEMCPY) + captured.delivered(MEMSET);
        assert_eq!(captured.links(), work, "each has its call");
    }
}

#[test]
fn three_hundred_threads_lose_nothing() {
    let Some(fakes) = fakes() else { return };
    let all = GENERATIONS.map(|generation| (generation, ""));
    // A buffer per thread where that is not the default; and where it cannot be switched off.
    let per_thread =
        [("12.4", "thread-buffers on"), ("13.5", "thread-buffers on\nanswer cuptiActivitySetAttribute 27")];
    for (generation, script) in all.into_iter().chain(per_thread) {
        let setting = Setting { generation: Some(generation), script, options: &[] };
        let captured = setting.capture(fakes, "program", &["--launches", "12000", "--threads", "300"]);
        row(&format!("CUPTI {generation}, 300 threads {script:?}"), &captured);
        assert!(captured.output.status.success(), "{}", captured.said());
        assert_eq!(captured.count(Category::Kernel), 12_000, "{generation}, {script}: {}", captured.said());
        assert_eq!((captured.links(), captured.fact("proftui.gpu.why")), (12_000, None));
    }
}
