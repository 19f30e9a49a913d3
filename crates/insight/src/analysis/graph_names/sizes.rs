//! The batch or token counts that annotations of serving engines state: of the steps that replay graphs, and
//! of captures.
//!
//! Must not know slices.

/// The number at the beginning of a text; `None` if there is none, or it is too large.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

/// The number that the first field `name` in a text states, after its last `/` if it has one: 128 of
/// `bs=117/128` for `bs=`. `None` if there is none.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | ','));
    let value = words.find_map(|word| word.strip_prefix(name))?;
    number(value.rsplit('/').next().unwrap_or(value))
}

/// The size of the graph that a serving engine's step needs, in requests or tokens, as the step's annotation
/// states; `None` if it does not.
pub(super) fn of_step(annotation: &str) -> Option<u64> {
    if let Some(rest) = annotation.strip_prefix("execute_") {
        return number(rest);
    }
    let (kind, fields) = annotation.split_once('[')?;
    let kind = if kind == "step" { fields.split([' ', ']']).next().unwrap_or_default() } else { kind };
    let requests = field(fields, "bs=");
    match kind.to_ascii_lowercase().as_str() {
        "decode" => requests,
        "prefill" | "extend" | "mixed" => {
            field(fields, "toks=").or_else(|| field(fields, "tok=")).or(requests)
        }
        _ => None,
    }
}

/// The size and the mode that the annotation of a capture states: 32 and `DECODE` of `capture_32_DECODE`.
/// `None` for another text.
pub(super) fn of_capture(annotation: &str) -> Option<(u64, &str)> {
    let rest = annotation.strip_prefix("capture_")?;
    let size = number(rest)?;
    Some((size, rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_engines_state_their_size() {
        let sizes = [
            ("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk32785sqsq32sqsk32785)", Some(32)),
            ("execute_6147_context_2(6144)_generation_3(3)", Some(6147)),
            ("step[DECODE bs=64]", Some(64)),
            ("step[EXTEND bs=2 toks=14721]", Some(14721)),
            ("decode[bs=117/128 tok=117 d=117]", Some(128)),
            ("prefill[bs=2 tok=14721 ctx=[7803, 6918]]", Some(14721)),
            ("execute_diffusion_1_1024x1024", None),
            ("step[IDLE]", None),
            ("forward", None),
        ];
        for (annotation, size) in sizes {
            assert_eq!(of_step(annotation), size, "{annotation}");
        }
    }

    #[test]
    fn captures_state_their_size_and_mode() {
        assert_eq!(of_capture("capture_32_DECODE"), Some((32, "DECODE")));
        assert_eq!(of_capture("capture_256_mixed_prefill"), Some((256, "mixed_prefill")));
        assert_eq!(of_capture("capture_all"), None);
        assert_eq!(of_capture("CUDAGraphNode.record (dynamo_timed)"), None);
    }
}
