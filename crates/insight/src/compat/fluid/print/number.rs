//! Numbers as C++ streams print them by default: `%g`.

use proftui_base::saturate::saturate;

/// Formats a number like `%g` of C, but -0 as `0` and each NaN as `-nan`.
pub fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "-nan".into()
        } else if value > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..6).contains(&exponent) {
        trimmed(&format!("{value:.*}", saturate::<usize>(5 - exponent)))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_streams_print_them() {
        for (value, want) in [
            (0.0, "0"),
            (17_120.631, "17120.6"),
            (0.783_353, "0.783353"),
            (9.474_72e-5, "9.47472e-05"),
            (0.000_1, "0.0001"),
            (1_234_567.0, "1.23457e+06"),
            (999_999.7, "1e+06"),
            (100.0, "100"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(general(value), want);
        }
    }
}
