//! Floating point operations of an operator, computed from its inputs as torch does (`computeFlops`,
//! `torch/csrc/profiler/util.cpp`).
//!
//! The table in torch's layout, our own table of operators and the findings use it. Arithmetic wraps as in
//! torch: damaged sizes give a wrong number, never a panic.

use proftui_trace::import::{RawEvent, RawValue};

/// The formula by which torch counts the floating point operations of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// `aten::conv2d`: from inputs 0 (image), 1 (weights), 3 (stride), 4 (padding), 5 (dilation) and 6
    /// (groups).
    Conv2d,
    /// `aten::mm`: the matrix product of inputs 0 and 1.
    Mm,
    /// `aten::addmm`: the matrix product of inputs 1 and 2; the addition of input 0 is not counted.
    Addmm,
    /// `aten::bmm`: the batched matrix product of inputs 0 and 1.
    Bmm,
    /// `aten::baddbmm`: the batched matrix product of inputs 1 and 2; the addition of input 0 is not counted.
    Baddbmm,
    /// `aten::add`, `aten::mul`: one operation per element of input 0.
    Elements,
}

impl Formula {
    /// The operators that have a formula: the name, and the formula.
    pub(crate) const OPERATORS: [(&[u8], Self); 7] = [
        (b"aten::conv2d", Self::Conv2d),
        (b"aten::mm", Self::Mm),
        (b"aten::addmm", Self::Addmm),
        (b"aten::bmm", Self::Bmm),
        (b"aten::baddbmm", Self::Baddbmm),
        (b"aten::add", Self::Elements),
        (b"aten::mul", Self::Elements),
    ];

    /// The formula of the operator with this name; `None` if torch counts nothing for it.
    pub(crate) fn of(name: &[u8]) -> Option<Self> {
        Self::OPERATORS.iter().find(|(of, _)| *of == name).map(|&(_, formula)| formula)
    }
}

/// The arguments of an operator's event that describe its inputs, each `None` if the event lacks it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inputs<'a> {
    /// `Input Dims` or `Input dims`: the sizes of each input tensor; `None` if the event lacks them.
    pub dims: Option<RawValue<'a>>,
    /// `Input type`: the type of each input; `None` if the event lacks them.
    pub types: Option<RawValue<'a>>,
    /// `Concrete Inputs`: the values of inputs that are no tensors; `None` if the event lacks them.
    pub concrete: Option<RawValue<'a>>,
}

impl<'a> Inputs<'a> {
    /// Finds the arguments that describe the inputs in an operator's event.
    pub(crate) fn of(event: &RawEvent<'a, '_>) -> Self {
        Self {
            dims: event.argument(b"Input Dims").or_else(|| event.argument(b"Input dims")),
            types: event.argument(b"Input type"),
            concrete: event.argument(b"Concrete Inputs"),
        }
    }
}

impl Inputs<'_> {
    /// The number of inputs in `dims`; 0 if the event lacks it.
    fn count(&self) -> usize {
        self.dims.map_or(0, |dims| dims.elements().count())
    }

    /// The sizes of input `n`; `None` if it is known to be no tensor, or its sizes are not known.
    pub(crate) fn tensor(&self, n: usize) -> Option<Vec<u64>> {
        if let Some(kind) = self.types.and_then(|types| types.elements().nth(n))
            && !kind.text().first().is_some_and(u8::is_ascii_lowercase)
        {
            return None;
        }
        let dims = self.dims?.elements().nth(n).filter(|dims| dims.is_array())?;
        dims.elements().map(|size| size.integer().map(i64::cast_unsigned)).collect()
    }

    /// The value of input `n` if it is a list of integers that is not empty, else `None`.
    fn list(&self, n: usize) -> Option<Vec<u64>> {
        let text = self.concrete?.elements().nth(n)?.text();
        let inner = std::str::from_utf8(&text).ok()?.trim().strip_prefix('[')?.strip_suffix(']')?;
        inner.split(',').map(|number| number.trim().parse::<i64>().ok().map(i64::cast_unsigned)).collect()
    }

    /// The value of input `n` if it is an integer, else `None`.
    fn number(&self, n: usize) -> Option<u64> {
        let text = self.concrete?.elements().nth(n)?.text();
        std::str::from_utf8(&text).ok()?.trim().parse::<i64>().ok().map(i64::cast_unsigned)
    }
}

/// The number of floating point operations of an operator with this formula and these inputs; 0 if the inputs
/// do not suffice. Wraps around on overflow.
pub(crate) fn flops(formula: Formula, inputs: &Inputs<'_>) -> u64 {
    let pair = |a: usize, b: usize| {
        (0..=b).all(|n| inputs.tensor(n).is_some()).then(|| (inputs.tensor(a), inputs.tensor(b)))
    };
    let product = |a, b, is_batched| match pair(a, b) {
        Some((Some(left), Some(right))) => matrices(&left, &right, is_batched),
        _ => 0,
    };
    match formula {
        Formula::Conv2d => convolution(inputs).unwrap_or(0),
        Formula::Mm => product(0, 1, false),
        Formula::Addmm => product(1, 2, false),
        Formula::Bmm => product(0, 1, true),
        Formula::Baddbmm => product(1, 2, true),
        Formula::Elements => inputs.tensor(0).map_or(0, |sizes| elements(&sizes)),
    }
}

/// The number of elements of a tensor: the product of its sizes, 1 if it has none. Wraps around on overflow.
pub(crate) fn elements(sizes: &[u64]) -> u64 {
    sizes.iter().fold(1, |all, &size| all.wrapping_mul(size))
}

/// The floating point operations of the product of matrices M×K and K×N: 2·M·K·N, or 2·B·M·K·N for B pairs if
/// `is_batched`.
fn matrices(left: &[u64], right: &[u64], is_batched: bool) -> u64 {
    let (Some(&batch), Some(&shared)) = (left.first(), left.last()) else { return 0 };
    let batch = if is_batched { batch } else { 1 };
    if shared == 0 || batch == 0 {
        return 0;
    }
    (elements(left) / shared / batch).wrapping_mul(elements(right)).wrapping_mul(2)
}

/// The floating point operations of a convolution, 2·N·Hout·Wout·Kh·Kw·Cin·Cout / groups; `None` if the
/// inputs do not suffice.
fn convolution(inputs: &Inputs<'_>) -> Option<u64> {
    let [batch, channels_out, height, width] = convolved(inputs)?;
    let kernel = inputs.tensor(1)?;
    let groups = inputs.number(6).filter(|&groups| groups > 0)?;
    let channels_in = *inputs.tensor(0)?.get(1)?;
    let factors = [2, batch, height, width, kernel[2], kernel[3], channels_in, channels_out];
    Some(elements(&factors) / groups)
}

/// The sizes of the result of a convolution: batch, channels, height, width; `None` if the inputs do not
/// suffice.
pub(crate) fn convolved(inputs: &Inputs<'_>) -> Option<[u64; 4]> {
    if inputs.count() < 7 {
        return None;
    }
    let input: [u64; 4] = inputs.tensor(0)?.try_into().ok()?;
    let kernel: [u64; 4] = inputs.tensor(1)?.try_into().ok()?;
    let [stride, padding, dilation] =
        [inputs.list(3)?, inputs.list(4)?, inputs.list(5)?].map(|pair| <[u64; 2]>::try_from(pair).ok());
    let (stride, padding, dilation) = (stride?, padding?, dilation?);
    let out = |axis: usize| {
        let extent = dilation[axis].wrapping_mul(kernel[2 + axis].wrapping_sub(1));
        let padded = input[2 + axis].wrapping_add(padding[axis].wrapping_mul(2));
        padded
            .wrapping_sub(extent)
            .wrapping_sub(1)
            .checked_div(stride[axis])
            .map(|steps| steps.wrapping_add(1))
    };
    Some([input[0], kernel[0], out(0)?, out(1)?])
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    /// The operations of one operator, read through a trace.
    fn count(name: &str, args: &str) -> u64 {
        let text = format!(
            r#"[{{"ph":"X","cat":"cpu_op","name":"{name}","ts":1,"dur":1,"pid":1,"tid":1,"args":{{{args}}}}}]"#
        );
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let mut found = 0;
        let visited = loaded.texts.visit(&loaded.trace.slices.origin, |_, event| {
            found = Formula::of(name.as_bytes()).map_or(0, |formula| flops(formula, &Inputs::of(event)));
        });
        assert_eq!(visited.expect("readable"), 0);
        found
    }

    #[test]
    fn convolution_with_groups_and_stride() {
        let args = |groups| {
            format!(
                r#""Concrete Inputs":["","","","[2, 2]","[3, 3]","[1, 1]","{groups}"],"Input Dims":[[5,3,96,96],[64,3,7,7],[],[],[],[],[]]"#
            )
        };
        assert_eq!(count("aten::conv2d", &args(1)), 2 * 5 * 48 * 48 * 7 * 7 * 3 * 64);
        assert_eq!(count("aten::conv2d", &args(3)), 2 * 5 * 48 * 48 * 7 * 7 * 64);
        assert_eq!(count("aten::conv2d", &args(0)), 0);
        assert_eq!(count("aten::conv2d", r#""Input Dims":[[5,3,96,96],[64,3,7,7]]"#), 0);
    }

    #[test]
    fn products_of_matrices() {
        assert_eq!(count("aten::mm", r#""Input Dims":[[2,3],[3,5]]"#), 2 * 2 * 3 * 5);
        assert_eq!(count("aten::addmm", r#""Input Dims":[[5],[2,3],[3,5],[],[]]"#), 2 * 2 * 3 * 5);
        assert_eq!(count("aten::bmm", r#""Input Dims":[[7,2,3],[7,3,5]]"#), 2 * 7 * 2 * 3 * 5);
        assert_eq!(count("aten::baddbmm", r#""Input Dims":[[7,2,5],[7,2,3],[7,3,5]]"#), 2 * 7 * 2 * 3 * 5);
        assert_eq!(count("aten::mm", r#""Input Dims":[[2,0],[0,5]]"#), 0);
        assert_eq!(count("aten::mm", r#""Input Dims":[[2,3]]"#), 0);
    }

    #[test]
    fn elements_of_tensors_only() {
        assert_eq!(count("aten::add", r#""Input Dims":[[4,5],[4,5],[]]"#), 20);
        assert_eq!(
            count("aten::mul", r#""Input type":["float"],"Input Dims":[[]]"#),
            1,
            "a tensor without dimensions"
        );
        assert_eq!(count("aten::add", r#""Input type":["Scalar"],"Input Dims":[[]]"#), 0);
    }
}
