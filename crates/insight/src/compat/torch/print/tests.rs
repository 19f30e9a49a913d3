//! Tests of printed numbers and whole tables.

use crate::compat::torch::{Average, Averages, Rules};
use proftui_base::fmt::TimeUnit;

use super::format::{FlopScale, MemoryUnits, Units, share};
use super::{TableOptions, render};

const PLAIN: Units = Units { time: None, memory: MemoryUnits::Upper };

#[test]
fn times() {
    for (micros, want) in [
        (0.0, "0.000us"),
        (0.0625, "0.062us"),
        (999.9994, "999.999us"),
        (1000.0, "1.000ms"),
        (999_999.9, "1000.000ms"),
        (1_000_000.0, "1.000s"),
        (-7_891_000.0, "-7891000.000us"),
    ] {
        assert_eq!(PLAIN.time(micros), want);
    }
    let with = |time| Units { time: Some(time), ..PLAIN }.time(1234.5);
    assert_eq!(with(TimeUnit::Second), "0.001s");
    assert_eq!(with(TimeUnit::Micro), "1234.500us");
    assert_eq!(with(TimeUnit::Nano), "1234500.000ns");
}

#[test]
fn memory_and_shares() {
    assert_eq!(PLAIN.memory(1023), "1023 B");
    assert_eq!(PLAIN.memory(-1024), "-1.00 KB");
    assert_eq!(PLAIN.memory(3 << 29), "1.50 GB");
    let deeplink = Units { memory: MemoryUnits::Lower, ..PLAIN };
    assert_eq!(["95.00 Mb", "0 b"], [deeplink.memory(95 << 20), deeplink.memory(0)]);
    assert_eq!(share(1.0, 3.0), "33.33%");
    assert_eq!(share(0.0, 0.0), "NaN");
}

#[test]
fn operations() {
    let scale = FlopScale::of(691_200);
    assert_eq!((scale.heading, scale.text(691_200).as_str()), ("Total KFLOPs", " 691.200"));
    assert_eq!(scale.text(0), "--");
    assert_eq!(FlopScale::of(1).heading, "Total FLOPs");
    assert_eq!(FlopScale::of(1000).heading, "Total KFLOPs");
    assert_eq!(FlopScale::of(u64::MAX).heading, "Total PFLOPs");
}

fn averages() -> Averages {
    let row = |name: &str, cpu: f64| Average {
        name: name.to_owned().into(),
        count: 2,
        cpu_total: cpu,
        self_cpu: cpu,
        ..Average::default()
    };
    let mut rows = vec![row("a", 1500.0), row(&"n".repeat(60), 500.0)];
    rows[0].is_top_level = true;
    Averages {
        rows,
        rules: Rules::default(),
        device: None,
        has_memory: false,
        has_flops: false,
        unread: 0,
        is_coarse: false,
    }
}

#[test]
fn a_table() {
    let text = render(&averages(), &TableOptions { name_width: 10, ..TableOptions::default() });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[1],
        "      Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  "
    );
    assert_eq!(
        lines[3],
        "         a        75.00%       1.500ms        75.00%       1.500ms     750.000us             2  "
    );
    assert!(lines[4].starts_with("nnnnnnn...        25.00%"));
    assert_eq!(lines[6], "Self CPU time total: 2.000ms");
    let none = render(&averages(), &TableOptions { row_limit: 0, ..TableOptions::default() });
    assert_eq!(none.lines().count(), 5);
    let top = render(&averages(), &TableOptions { is_top_level_only: true, ..TableOptions::default() });
    assert_eq!(top.lines().filter(|line| line.contains("us ")).count(), 1);
}

#[test]
fn stacks_and_operations_are_swapped() {
    let mut averages = averages();
    averages.has_flops = true;
    averages.rows[0].flops = 5;
    let long = format!("{}(1): f", "p".repeat(90));
    averages.rows[0].stack = vec!["x.py(3): g".to_owned().into(), long.into()].into();
    let text = render(&averages, &TableOptions::default());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].trim_end().ends_with("Total FLOPs"));
    assert!(lines[3].trim_end().ends_with("x.py(3): g") && lines[3].contains("   5.000 "));
    assert_eq!(lines[4].trim_start().trim_end().chars().count(), 75);
    assert!(lines[4].trim_start().starts_with("..."));
    assert!(lines[5].trim().is_empty());
}

#[test]
fn nothing_is_a_sentence() {
    let mut averages = averages();
    averages.rows.clear();
    assert_eq!(render(&averages, &TableOptions::default()).lines().count(), 1);
}
