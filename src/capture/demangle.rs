//! Names of kernels as their source has them: the driver knows them as the linker does.

use std::fmt;

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// Longest name that is made, bytes: what refers back to itself grows without end.
const LONGEST: usize = 32 << 10;

/// The name in the words of C++; none for what is no such name, or would be too long.
pub fn demangled(name: &[u8]) -> Option<Vec<u8>> {
    if !name.starts_with(b"_Z") {
        return None;
    }
    let symbol = BorrowedSymbol::new(name).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &DemangleOptions::new()).ok()?;
    Some(text.0.into_bytes())
}

/// A text that takes so much.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > LONGEST {
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
    fn names_are_those_of_the_source_or_stay_as_they_are() {
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
    fn a_name_that_grows_without_end_stays_as_it_is() {
        // Each argument is a pair of the one before it.
        let mut name = String::from("_Z1f1AIiiE");
        for at in 0..60 {
            // Each argument has two numbers: its template's, and its own.
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
