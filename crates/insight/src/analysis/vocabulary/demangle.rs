//! Demangles C++ names of kernels, since CUPTI and some profilers report the symbols' mangled names.
//!
//! Must not know where a name was recorded.

use std::fmt;

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// Longest demangled name, bytes: a mangled name with back references can expand to any length.
const LONGEST_NAME: usize = 32 << 10;

/// Longest mangled name that is demangled, bytes.
const LONGEST_MANGLED: usize = 16 << 10;

/// Demangles a C++ name; `None` if it is not mangled or cannot be demangled.
#[must_use]
pub fn demangled(name: &[u8]) -> Option<Vec<u8>> {
    if !name.starts_with(b"_Z") || name.len() > LONGEST_MANGLED {
        return None;
    }
    let symbol = BorrowedSymbol::new(name).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &DemangleOptions::new()).ok()?;
    Some(text.0.into_bytes())
}

/// A text of at most [`LONGEST_NAME`] bytes; writing more fails.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > LONGEST_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_demangled_and_others_stay() {
        let shown =
            |name: &str| demangled(name.as_bytes()).map(|name| String::from_utf8_lossy(&name).into_owned());
        assert_eq!(shown("_Z3addPKfS0_Pfi").as_deref(), Some("add(float const*, float const*, float*, int)"));
        assert_eq!(
            shown("_ZN2at6native4fillIfEEvPT_").as_deref(),
            Some("void at::native::fill<float>(float*)")
        );
        for name in ["triton_poi_fused_0", "_Z", "_Z9", "", "_ZN"] {
            assert_eq!(shown(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_that_expands_without_end_stays() {
        // Each argument is a pair of the one before it.
        let mut name = String::from("_Z1f1AIiiE");
        for at in 0..60 {
            // Each argument has two substitution numbers: its template's, and its own.
            let last = format!("S{}_", base36(2 * at));
            name += &format!("1AI{last}{last}E");
        }
        assert_eq!(demangled(name.as_bytes()), None);
    }

    fn base36(number: u32) -> String {
        let digit = |n: u32| char::from_digit(n, 36).expect("a digit").to_ascii_uppercase();
        if number < 36 {
            digit(number).to_string()
        } else {
            format!("{}{}", base36(number / 36), digit(number % 36))
        }
    }
}
