//! Attention written out as two batched matrix products with a softmax between them.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::part::work::Work;
use crate::analysis::thresholds::WITHIN_ATTENTION;
use crate::analysis::vocabulary::kernel_class::KernelClasses;
use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Category, GroupId, KernelClass, SliceId, Trace};

use super::beyond::{self, Draft};

pub(super) const RULE: Rule = Rule {
    id: "unfused_attention",
    definition: "Batched matrix products with a softmax between them, and at most 8 other kernels before and \
        after it, have 5 % of the time and more.",
    source: "The operators around the launches: bmm or baddbmm, softmax or its backward, bmm. Fused \
        attention does not write the matrix of scores, so it needs none of the kernels between the products.",
    caveats: &["a mask or a bias that the fused kernels do not know may need this form"],
    advice: "Use fused attention: torch.nn.functional.scaled_dot_product_attention, \
        attn_implementation=\"sdpa\" in transformers, FlashAttention.",
    look: Look::Work(find),
};

/// What a piece of device work is to attention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Product,
    Softmax,
    /// A scaling, a mask, a copy or the like.
    Between,
    Other,
}

/// True for the names of operators and kernels that compute a softmax, but not its logarithm.
fn is_softmax(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |part: &[u8]| memchr::memmem::find(&name, part).is_some();
    has(b"softmax") && !has(b"log_softmax") && !has(b"logsoftmax")
}

/// Finds what pieces of work are to attention, and remembers it by the names of kernel and operator.
struct Roles<'a> {
    trace: &'a Trace,
    classes: KernelClasses<'a>,
    known: FxHashMap<(StrId, StrId), Role>,
}

impl Roles<'_> {
    fn of(&mut self, work: &Work) -> Role {
        let slices = &self.trace.slices;
        if slices.category(work.id) != Category::Kernel {
            return Role::Between;
        }
        let is_operator = |id: &SliceId| slices.category(*id) == Category::Operator;
        let around = work.launch.and_then(|launch| slices.ancestors(launch.id).find(is_operator));
        let name = slices.name[work.id];
        let operator = around.map_or(StrId::EMPTY, |id| slices.name[id]);
        if let Some(&role) = self.known.get(&(name, operator)) {
            return role;
        }
        let role = self.by_names(work.id, name, operator);
        self.known.insert((name, operator), role);
        role
    }

    /// The role of a kernel by its name and that of the innermost operator, empty without one.
    fn by_names(&mut self, kernel: SliceId, name: StrId, operator: StrId) -> Role {
        let strings = &self.trace.strings;
        let (name, operator) = (strings.bytes(name), strings.bytes(operator));
        // `aten::bmm` of PyTorch, `bmm dygraph` and `bmm compute` of Paddle.
        let unqualified = operator.rsplit(|&byte| byte == b':').next().unwrap_or_default();
        let bare = unqualified.split(|&byte| byte == b' ').next().unwrap_or_default();
        match self.classes.class(kernel) {
            _ if matches!(bare, b"bmm" | b"baddbmm" | b"baddbmm_") => Role::Product,
            _ if is_softmax(if operator.is_empty() { name } else { operator }) => Role::Softmax,
            KernelClass::Matrix | KernelClass::Attention | KernelClass::Communication => Role::Other,
            _ => Role::Between,
        }
    }
}

/// The indices of the products that a softmax at `at` lies between; `None` if it lies between none.
fn products(roles: &[Role], at: usize) -> Option<(usize, usize)> {
    let is_end = |&index: &usize| roles[index] != Role::Between;
    let before = (0..at).rev().take(WITHIN_ATTENTION + 1).find(is_end);
    let after = (at + 1..roles.len()).take(WITHIN_ATTENTION + 1).find(is_end);
    let is_product = |index: &usize| roles[*index] == Role::Product;
    before.filter(is_product).zip(after.filter(is_product))
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    if !trace.strings.ids().iter().any(|name| is_softmax(trace.strings.bytes(name))) {
        return Outcome::Nothing;
    }
    let mut roles = Roles { trace, classes: KernelClasses::of(trace), known: FxHashMap::default() };
    let mut found: Vec<(GroupId, SliceId)> = Vec::new();
    let (mut time, mut between, mut count): (Ns, Ns, u64) = (0, 0, 0);
    for device in context.work() {
        for (_, work) in device.streams() {
            let roles: Vec<Role> = work.iter().map(|work| roles.of(work)).collect();
            // Where the attention before ends: two may share a product.
            let mut end = 0;
            for at in (0..roles.len()).filter(|&at| roles[at] == Role::Softmax) {
                let Some((first, last)) = products(&roles, at) else { continue };
                count += 1;
                between = between.saturating_add(sum(work[first + 1..last].iter().map(Work::dur)));
                let own = &work[first.max(end)..=last];
                time = time.saturating_add(sum(own.iter().map(Work::dur)));
                found.extend(own.iter().map(|work| (device.group, work.id)));
                end = last + 1;
            }
        }
    }
    let covered = beyond::covered(context, &found);
    let share = context.share(covered);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    // Kernels for rows that are aligned to one value are slower.
    let is_odd = |&(_, id): &(GroupId, SliceId)| {
        memchr::memmem::find(trace.strings.bytes(trace.slices.name[id]), b"align1").is_some()
    };
    let odd = found.iter().any(is_odd);
    let sizes = if odd { "; sizes that are no multiple of 8 take kernels of their own (align1)" } else { "" };
    Draft {
        severity,
        title: "attention written out: softmax, bmm".into(),
        time: Some(covered),
        what: "is attention written out as products and softmax".into(),
        detail: format!(", {} of it between the products{sizes}", fmt::duration(between)),
        saves: between.min(covered),
        basis: "time of the kernels between the products, which fused attention does not need",
        share,
        numbers: vec![
            Number::ns("time", time),
            Number::ns("between", between),
            Number::count("softmaxes", count),
        ],
        seen: beyond::names(context, &found, 4),
        of: found,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use crate::analysis::Scope;
    use crate::analysis::arguments::Arguments;
    use crate::analysis::insights::insights;

    /// The finding's time and the time between the products, µs, of these operators, each with a kernel of
    /// 100 µs.
    fn found(operators: &[&str]) -> Option<[f64; 2]> {
        let mut events = Vec::new();
        for (at, operator) in operators.iter().enumerate() {
            let (start, number) = (at * 100, at + 1);
            let kernel = if operator.contains("mm") { "ampere_gemm" } else { "elementwise_kernel" };
            events.push(format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"{operator}","pid":1,"tid":1,"ts":{start},"dur":90}},
                {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{start}.5,"dur":5,"args":{{"correlation":{number}}}}},
                {{"ph":"X","cat":"kernel","name":"{kernel}","pid":0,"tid":7,"ts":{},"dur":100,"args":{{"correlation":{number}}}}}"#,
                start + 10
            ));
        }
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let found = insights(&loaded.trace, &Scope::default(), &Arguments::default()).findings;
        let found = found.into_iter().find(|finding| finding.rule == "unfused_attention")?;
        Some([found.numbers[0].value, found.numbers[1].value].map(|ns| ns / 1e3))
    }

    #[test]
    fn a_softmax_between_two_batched_products_is_attention() {
        let forward = ["aten::bmm", "aten::mul", "aten::add", "aten::_softmax", "aten::bmm"];
        assert_eq!(found(&forward), Some([500.0, 300.0]));
        let backward = ["aten::bmm", "aten::_softmax_backward_data", "aten::mul", "aten::bmm"];
        assert_eq!(found(&backward), Some([400.0, 200.0]));
        let twice = ["aten::bmm", "aten::_softmax", "aten::bmm", "aten::_softmax", "aten::bmm"];
        assert_eq!(found(&twice), Some([500.0, 200.0]), "a product counts once");
    }

    #[test]
    fn other_softmaxes_are_none() {
        for operators in [
            &["aten::addmm", "aten::_softmax", "aten::mm"][..],
            &["aten::bmm", "aten::_log_softmax", "aten::bmm"],
            &["aten::bmm", "aten::_softmax", "aten::mm", "aten::bmm"],
            &["aten::bmm", "aten::mul", "aten::_softmax"],
        ] {
            assert_eq!(found(operators), None, "{operators:?}");
        }
    }
}
