//! Who comes late to collectives, on clocks that the ends of collectives align.

use std::fmt::Write;
use std::path::PathBuf;

use proftui_insight::analysis::insights::{Finding, Insights, insights};
use proftui_insight::analysis::{Arguments, Scope};
use proftui_trace::import::{Loaded, Progress, Request, load};

/// Collectives of each rank.
const COUNT: u64 = 12;

/// A rank's trace: a kernel of 1 ms and a collective for each number. `late`: how much later this rank comes,
/// µs; `last`: how much later the last rank comes; `clock`: what its clock is ahead, µs; `noise`: how much
/// later its collectives seem to end, µs, by number.
struct Rank {
    number: u64,
    late: u64,
    last: u64,
    clock: u64,
    noise: fn(u64) -> u64,
}

impl Rank {
    fn text(&self, ranks: u64, states_numbers: bool) -> String {
        let Self { number, late, last, clock, noise } = *self;
        let mut events = String::new();
        for at in 0..COUNT {
            let begin = clock + at * 3_000;
            let (arrival, end) = (begin + 1_000 + late, begin + 1_500 + last + noise(at));
            let stated = if states_numbers {
                format!(r#","Seq":{at},"Process Group Name":"0""#)
            } else {
                String::new()
            };
            let _ = write!(
                events,
                r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{begin},"dur":{},"args":{{"device":0,"stream":7}}}},
                {{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL()","pid":0,"tid":20,"ts":{arrival},"dur":{},
                 "args":{{"device":0,"stream":20,"Collective name":"allreduce"{stated}}}}},"#,
                1_000 + late,
                end - arrival,
            );
        }
        events.pop();
        format!(
            r#"{{"schemaVersion":1,"baseTimeNanoseconds":1790000000000000000,
                "distributedInfo":{{"backend":"nccl","rank":{number},"world_size":{ranks}}},"traceEvents":[{events}]}}"#
        )
    }
}

fn judged(ranks: &[Rank], states_numbers: bool) -> Insights {
    let folder = tempfile::tempdir().expect("a folder");
    let count = ranks.len() as u64;
    let paths: Vec<PathBuf> = ranks
        .iter()
        .map(|rank| {
            let path = folder.path().join(format!("rank{}.pt.trace.json", rank.number));
            std::fs::write(&path, rank.text(count, states_numbers)).expect("written");
            path
        })
        .collect();
    let Loaded { trace, texts } = load(&Request::new(paths), &Progress::default()).expect("a trace");
    let scope = Scope::default();
    insights(&trace, &scope, &Arguments::of_findings(&trace, &texts, &scope))
}

/// Ranks with these clocks, of which the one with this number comes 400 µs late.
fn ranks(clocks: &[u64], late: Option<u64>) -> Vec<Rank> {
    let last = if late.is_some() { 400 } else { 0 };
    let of = |(number, &clock): (u64, &u64)| Rank {
        number,
        late: if late == Some(number) { 400 } else { 0 },
        last,
        clock,
        noise: |at| at % 3,
    };
    (0..).zip(clocks).map(of).collect()
}

fn late_rank(insights: &Insights) -> Option<&Finding> {
    insights.findings.iter().find(|finding| finding.rule == "late_rank")
}

fn why(insights: &Insights) -> Option<&str> {
    insights.abstained.iter().find(|of| of.rule == "late_rank").map(|of| of.why.as_str())
}

#[test]
fn the_late_rank_is_named_whatever_the_clocks_are() {
    for clocks in [[0, 0, 0, 0], [7, 11_560_000, 250_000_000, 3]] {
        let insights = judged(&ranks(&clocks, Some(2)), true);
        let found = late_rank(&insights).expect("a finding");
        assert!(found.what.contains("rank 2, which comes last to 11 of 11 collectives"), "{}", found.what);
        let number = |name| found.numbers.iter().find(|number| number.name == name).expect("a number").value;
        assert!((number("late") - 11.0 * 400_000.0).abs() < 1.0, "{}", number("late"));
        assert!(number("clock_spread") <= 2_000.0, "{}", number("clock_spread"));
        assert_eq!(found.time, Some(3 * 11 * 400_000), "three others wait");
    }
}

#[test]
fn nobody_is_named_where_all_come_in_time() {
    let insights = judged(&ranks(&[0, 11_560_000, 5], None), true);
    assert!(late_rank(&insights).is_none());
    assert_eq!(why(&insights), None, "it was judged");
}

#[test]
fn what_cannot_be_aligned_is_not_judged() {
    let unnumbered = judged(&ranks(&[0, 0], Some(1)), false);
    assert!(why(&unnumbered).expect("abstained").contains("known by process group and number"));
    let mut uneven = ranks(&[0, 0], Some(1));
    uneven[0].noise = |at| at * at * 7 % 900;
    let uneven = judged(&uneven, true);
    assert!(why(&uneven).expect("abstained").contains("lie"), "{:?}", why(&uneven));
}
