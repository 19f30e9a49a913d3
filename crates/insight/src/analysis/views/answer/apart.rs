//! Steps that say nothing of the loop: the first ones, if they take much longer than the others, and a few
//! others that take much longer.
//!
//! Must not know what the steps do.

use crate::analysis::part::steady::warm_up;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::Step;

/// A step of the warm-up is apart only if it is this many times as long as the median of the others.
const WARM: Ns = 2;
/// A later step is apart if it is more than this many times as long as the median.
const FAR: Ns = 4;
/// Later steps are apart only if they are at most one in this many, or a single one of at least [`LEAST`]:
/// what comes more often is a part of the loop, such as loading that waits at each tenth step.
const FEW: usize = 50;
/// The fewest later steps of which one may be apart.
const LEAST: usize = 10;

/// Steps that are apart from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// How many steps these are.
    pub count: u64,
    /// The numbers of the first and of the last of them.
    pub numbers: (u64, u64),
    /// The duration of the longest of them, ns.
    pub longest: Ns,
    /// The number of the longest of them.
    pub step: u64,
    /// The summed duration of them, ns.
    pub total: Ns,
}

/// The steps of a recording, divided.
#[derive(Debug, Default)]
pub(super) struct Divided<'a> {
    /// The first steps, if they take much longer.
    pub warm_up: Option<Apart>,
    /// Later steps that take much longer than most.
    pub outliers: Option<Apart>,
    /// All other steps, in their order.
    pub others: Vec<&'a Step>,
}

/// Divides steps, given in order of time.
pub(super) fn divide<'a>(steps: &[&'a Step]) -> Divided<'a> {
    let median = |steps: &[&Step]| {
        let mut lengths: Vec<Ns> = steps.iter().map(|step| step.span.len()).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len().saturating_sub(1) / 2).copied().unwrap_or_default()
    };
    let mut first = warm_up(steps);
    let usual = median(&steps[first..]);
    while first > 0 && steps[first - 1].span.len() <= usual.saturating_mul(WARM) {
        first -= 1;
    }
    let (warm, later) = steps.split_at(first);
    let is_far = |step: &&&Step| step.span.len() > usual.saturating_mul(FAR);
    let far: Vec<&Step> = later.iter().filter(is_far).copied().collect();
    let is_few = far.len() * FEW <= later.len() || far.len() == 1 && later.len() >= LEAST;
    // The steps of a serving engine are of several kinds, some of which are longer.
    if far.is_empty() || !is_few || later.iter().any(|step| step.serving.is_some()) {
        return Divided { warm_up: apart(warm), outliers: None, others: later.to_vec() };
    }
    let others = later.iter().filter(|step| !is_far(step)).copied().collect();
    Divided { warm_up: apart(warm), outliers: apart(&far), others }
}

fn apart(steps: &[&Step]) -> Option<Apart> {
    let longest = steps.iter().max_by_key(|step| (step.span.len(), step.number))?;
    Some(Apart {
        count: steps.len() as u64,
        numbers: (steps.first()?.number, steps.last()?.number),
        longest: longest.span.len(),
        step: longest.number,
        total: sum(steps.iter().map(|step| step.span.len())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_base::time::Span;

    /// How steps of these lengths are divided: the warm-up, the outliers, and the lengths of the others.
    fn of(lengths: &[Ns]) -> (Option<Apart>, Option<Apart>, Vec<Ns>) {
        let mut start = 0;
        let step = |(number, &length): (usize, &Ns)| {
            let span = Span { start, end: start + length };
            start += length;
            Step { number: number as u64, span, ..Step::default() }
        };
        let steps: Vec<Step> = lengths.iter().enumerate().map(step).collect();
        let found = divide(&steps.iter().collect::<Vec<_>>());
        (found.warm_up, found.outliers, found.others.iter().map(|step| step.span.len()).collect())
    }

    #[test]
    fn the_first_steps_are_apart_if_they_take_much_longer() {
        let warm = Apart { count: 2, numbers: (0, 1), longest: 900, step: 0, total: 1300 };
        assert_eq!(of(&[900, 400, 100, 101, 99]), (Some(warm), None, vec![100, 101, 99]));
        assert_eq!(of(&[190, 100, 101, 99]), (None, None, vec![190, 100, 101, 99]), "not much longer");
        assert_eq!(of(&[900, 100]), (None, None, vec![900, 100]), "too few to know what is usual");
        assert_eq!(of(&[]), (None, None, vec![]));
    }

    #[test]
    fn a_few_others_are_apart() {
        let mut lengths = vec![100; 100];
        lengths[7] = 500;
        lengths[15] = 401;
        let far = Apart { count: 2, numbers: (7, 15), longest: 500, step: 7, total: 901 };
        assert_eq!(of(&lengths), (None, Some(far), vec![100; 98]));
        lengths[16] = 900;
        assert_eq!(of(&lengths).1, None, "so many are a part of the loop");
        let with_one = |count: usize| {
            of(&[&[100; 5][..], &[900], &vec![100; count - 6]].concat()).1.map(|far| far.total)
        };
        assert_eq!((with_one(9), with_one(10)), (None, Some(900)));
    }
}
