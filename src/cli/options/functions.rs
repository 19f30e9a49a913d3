//! The value of `--functions`: patterns of a module and of the qualified names of its functions.
//!
//! Must not know how calls of functions are recorded.

/// The text is no pattern of a module and one of a function, with `:` in between.
#[derive(Debug, thiserror::Error)]
#[error("expected patterns of a module and a function, such as __main__:* or mypkg.*:Trainer.*")]
pub(crate) struct NoFunctions;

/// Returns a value of `--functions` unchanged if it is valid.
pub(crate) fn functions(text: &str) -> Result<String, NoFunctions> {
    let is_pattern = |text: &str| {
        let is_known = |c: char| c.is_alphanumeric() || "_.*?[]!-<>".contains(c);
        !text.is_empty() && text.chars().all(is_known)
    };
    let is_valid = text.split_once(':').is_some_and(|(module, name)| is_pattern(module) && is_pattern(name));
    if is_valid { Ok(text.to_owned()) } else { Err(NoFunctions) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_and_a_name_are_patterns() {
        for text in ["__main__:*", "a.b:C.f", "a.*:f.<locals>.<lambda>", "a[!b-c]?:größe"] {
            assert_eq!(functions(text).ok().as_deref(), Some(text));
        }
        for text in ["", ":", "a", "a:", ":f", "a:b:c", "a: f", "a/b.py:f", "a:f\n", "a:f,b"] {
            assert!(functions(text).is_err(), "{text}");
        }
    }
}
