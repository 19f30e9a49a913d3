//! The names by which serving engines annotate the steps of their loops.
//!
//! `tests/support/step_names.tsv` lists names of all forms; the recorder's hooks (`annotations.py`) are held
//! to the same list.

use crate::model::{Serving, ServingKind};

/// What a step with this name serves; `None` if no known serving engine gives its steps such a name.
pub(in crate::import) fn serving(name: &[u8]) -> Option<Serving> {
    // A quick test that few other names pass.
    match name.first()? {
        b'e' => diffusion(name).or_else(|| vllm(name)),
        b's' => sglang(name),
        b'p' | b'd' => atom(name),
        _ => None,
    }
}

/// What is left of a name while it is read from its beginning.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// Takes the bytes up to the first that `is_wanted` refuses.
    fn take(&mut self, is_wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let len = self.0.iter().take_while(|&&byte| is_wanted(byte)).count();
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> Option<u64> {
        number(self.take(|byte| byte.is_ascii_digit()))
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    /// Takes a text of lower-case letters, digits and `_` in round brackets, and returns it without the
    /// brackets. `None` if anything else comes next.
    fn brackets(&mut self) -> Option<&'a [u8]> {
        self.skip(b"(")?;
        let text = self.take(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        self.skip(b")")?;
        Some(text)
    }
}

/// The number of tokens in a text that vLLM writes in brackets: 6144 in `6144`, 888 in `888_788544`, 64 in
/// `sq64sk131072`. `None` if the text has none.
fn tokens(text: &[u8]) -> Option<u64> {
    let first = memchr::memchr(b'_', text).map_or(text, |at| &text[..at]);
    number(first).or_else(|| Rest(text.strip_prefix(b"sq")?).number())
}

fn number(text: &[u8]) -> Option<u64> {
    let is_number = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// Reads vLLM's name of a step, such as `execute_context_2(6144)_generation_3(3)`: two requests prefilled,
/// three decoded, with the tokens of each in brackets. `None` for other names.
fn vllm(name: &[u8]) -> Option<Serving> {
    let mut rest = Rest(name);
    rest.skip(b"execute_")?;
    let all = rest.number();
    if all.is_some() {
        rest.skip(b"_")?;
    }
    rest.skip(b"context_")?;
    let prefilled = rest.number()?;
    let of_prefilled = tokens(rest.brackets()?);
    rest.skip(b"_generation_")?;
    let decoded = rest.number()?;
    let of_decoded = tokens(rest.brackets()?);
    rest.end()?;
    let kind = match (prefilled, decoded) {
        (0, 0) => ServingKind::Other,
        (_, 0) => ServingKind::Prefill,
        (0, _) => ServingKind::Decode,
        _ => ServingKind::Mixed,
    };
    let sum = || of_prefilled?.checked_add(of_decoded?);
    let requests = prefilled.saturating_add(decoded);
    Some(Serving { kind, requests, padded: None, tokens: all.or_else(sum), resolution: None })
}

/// Reads a diffusion engine's name of a step, such as `execute_diffusion_1_1024x1024`, with batch size and
/// resolution. `None` for other names.
fn diffusion(name: &[u8]) -> Option<Serving> {
    let mut rest = Rest(name);
    rest.skip(b"execute_diffusion_")?;
    let requests = rest.number()?;
    rest.skip(b"_")?;
    let one = rest.number()?;
    rest.skip(b"x")?;
    let other = rest.number()?;
    rest.end()?;
    let resolution = Some((u32::try_from(one).ok()?, u32::try_from(other).ok()?));
    Some(Serving { kind: ServingKind::Diffusion, requests, padded: None, tokens: None, resolution })
}

/// Reads `SGLang`'s name of a step, such as `step[EXTEND bs=2 toks=14721]`, with mode, batch size and tokens.
/// `None` for other names.
fn sglang(name: &[u8]) -> Option<Serving> {
    let mut rest = Rest(name.strip_suffix(b"]")?);
    rest.skip(b"step[")?;
    let mode = rest.take(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    mode.first().filter(|byte| byte.is_ascii_uppercase())?;
    rest.skip(b" bs=")?;
    let requests = rest.number()?;
    if rest.0.contains(&b']') || !(rest.0.is_empty() || rest.0.starts_with(b" ")) {
        return None;
    }
    let kind = match mode {
        b"EXTEND" | b"SPLIT_PREFILL" => ServingKind::Prefill,
        b"DECODE" | b"TARGET_VERIFY" => ServingKind::Decode,
        b"MIXED" => ServingKind::Mixed,
        _ => ServingKind::Other,
    };
    let field =
        |key: &[u8]| rest.0.split(|&byte| byte == b' ').find_map(|field| number(field.strip_prefix(key)?));
    let lengths = || match (field(b"c_sq="), field(b"g_sq=")) {
        (None, None) => None,
        (one, other) => one.unwrap_or_default().checked_add(other.unwrap_or_default()),
    };
    let one_each = (mode == b"DECODE").then_some(requests);
    let tokens = field(b"toks=").or_else(lengths).or(one_each);
    Some(Serving { kind, requests, padded: None, tokens, resolution: None })
}

/// Reads ATOM's name of a step, such as `decode[bs=117/128 tok=117 d=117]`, with batch size, its size after
/// padding, and tokens. `None` for other names.
fn atom(name: &[u8]) -> Option<Serving> {
    let mut rest = Rest(name.strip_suffix(b"]")?);
    let kind = if rest.skip(b"prefill[").is_some() {
        ServingKind::Prefill
    } else {
        rest.skip(b"decode[")?;
        ServingKind::Decode
    };
    rest.skip(b"bs=")?;
    let requests = rest.number()?;
    let padded = if rest.skip(b"/").is_some() { Some(rest.number()?) } else { None };
    rest.skip(b" tok=")?;
    let tokens = Some(rest.number()?);
    let is_whole = rest.0.is_empty() || rest.0.starts_with(b" ");
    is_whole.then_some(Serving { kind, requests, padded, tokens, resolution: None })
}
