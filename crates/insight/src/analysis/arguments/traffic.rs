//! The bytes that an operator has to read and write at least: both factors or summands and the result, each
//! once. The tensor that `aten::addmm` or `aten::baddbmm` adds and the bias of a convolution are left out.
//!
//! Must not know devices.

use super::flops::{Formula, Inputs, convolved, elements};
use super::peaks::Element;

/// An estimate of the bytes that an operator must read and write at least, and the type of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// The bytes of the operator's factors or summands, as far as they are tensors, and of its result, each
    /// once. An addend of a product, such as a bias, is left out.
    pub(crate) bytes: u64,
    /// The type of the elements of the operator's first factor or summand.
    pub(crate) element: Element,
}

/// Estimates what an operator with this formula must read and write at least; `None` if the inputs do not
/// suffice, or have elements of a type that is no [`Element`].
pub(crate) fn traffic(formula: Formula, inputs: &Inputs<'_>) -> Option<Traffic> {
    let element = |n: usize| Element::of(&inputs.types?.elements().nth(n)?.text());
    let size = |n: usize| Some(elements(&inputs.tensor(n)?).wrapping_mul(element(n)?.bytes()));
    let (first, second, result) = match formula {
        Formula::Mm | Formula::Addmm | Formula::Bmm | Formula::Baddbmm => {
            let first = usize::from(matches!(formula, Formula::Addmm | Formula::Baddbmm));
            let mut result = inputs.tensor(first)?;
            *result.last_mut()? = *inputs.tensor(first + 1)?.last()?;
            (first, size(first + 1)?, elements(&result))
        }
        Formula::Conv2d => (0, size(1)?, elements(&convolved(inputs)?)),
        Formula::Elements => {
            let other = inputs.tensor(1);
            let second = if other.is_some() { size(1)? } else { 0 };
            (0, second, broadcast(&inputs.tensor(0)?, &other.unwrap_or_default()))
        }
    };
    let element = element(first)?;
    let result = result.wrapping_mul(element.bytes());
    Some(Traffic { bytes: size(first)?.wrapping_add(second).wrapping_add(result), element })
}

/// The number of elements of the sum of two tensors of these sizes, by broadcasting as in PyTorch.
fn broadcast(one: &[u64], other: &[u64]) -> u64 {
    let size = |sizes: &[u64], back: usize| sizes.iter().rev().nth(back).copied().unwrap_or(1);
    (0..one.len().max(other.len())).fold(1, |all: u64, back| {
        let (one, other) = (size(one, back), size(other, back));
        all.wrapping_mul(if one == 1 { other } else { one })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    fn of(name: &str, types: &str, dims: &str) -> Option<Traffic> {
        let concrete = r#""","","","[2, 2]","[3, 3]","[1, 1]","1""#;
        let text = format!(
            r#"[{{"ph":"X","cat":"cpu_op","name":"{name}","ts":1,"dur":1,"pid":1,"tid":1,
                "args":{{"Input type":[{types}],"Input Dims":[{dims}],"Concrete Inputs":[{concrete}]}}}}]"#
        );
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let mut found = None;
        let visited = loaded.texts.visit(&loaded.trace.slices.origin, |_, event| {
            found = Formula::of(name.as_bytes()).and_then(|formula| traffic(formula, &Inputs::of(event)));
        });
        assert_eq!(visited.expect("readable"), 0);
        found
    }

    #[test]
    fn each_tensor_counts_once() {
        let bf16 = r#""c10::BFloat16","c10::BFloat16""#;
        let product = of("aten::mm", bf16, "[2,3],[3,5]").expect("known");
        assert_eq!(product, Traffic { bytes: 2 * (6 + 15 + 10), element: Element::Bf16 });
        let batched = of("aten::bmm", r#""float","float""#, "[7,2,3],[7,3,5]").expect("known");
        assert_eq!(batched.bytes, 4 * 7 * (6 + 15 + 10));
        let added = of("aten::addmm", r#""float","float","float""#, "[5],[2,3],[3,5]").expect("known");
        assert_eq!(added.bytes, 4 * (6 + 15 + 10));
        let types = r#""float","float","","","","","""#;
        let convolution = of("aten::conv2d", types, "[5,3,96,96],[64,3,7,7],[],[],[],[],[]").expect("known");
        assert_eq!(convolution.bytes, 4 * (5 * 3 * 96 * 96 + 64 * 3 * 7 * 7 + 5 * 64 * 48 * 48));
    }

    #[test]
    fn sums_are_as_large_as_both() {
        assert_eq!(
            of("aten::add", r#""float","float""#, "[64,1],[8]").expect("known").bytes,
            4 * (64 + 8 + 512)
        );
        assert_eq!(of("aten::mul", r#""float","Scalar""#, "[64],[]").expect("known").bytes, 4 * 128);
        assert_eq!(of("aten::add", r#""long int","long int""#, "[64],[64]"), None, "no rate is known");
    }
}
