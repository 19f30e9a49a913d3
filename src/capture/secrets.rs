//! What of a command line may be written down: values behind names that look like secrets are left out.
//!
//! A captured Python leaves out the same (`assets/python/_proftui_shim/facts.py`), by the same list of names.

/// Python's list of parts of names whose values are secrets.
const LIST: &str = include_str!("../../assets/python/_proftui_shim/secret_names.py");

/// Words that stand before a secret themselves, where one is due.
const SCHEMES: [&str; 2] = ["basic", "bearer"];

/// Stands for what is left out.
const HIDDEN: &str = "***";

/// The arguments, secrets hidden: `--api-key=x`, `--token x`, `PASSWORD=x`, `Authorization: Bearer x`, and what stands
/// before an `@` in an address.
pub fn hide(arguments: &[String]) -> Vec<String> {
    let mut hides_next = false;
    let shown = arguments.iter().map(|argument| {
        let is_due = std::mem::take(&mut hides_next);
        if is_due && SCHEMES.iter().any(|scheme| argument.eq_ignore_ascii_case(scheme)) {
            hides_next = true;
            return argument.clone();
        }
        if is_due && !argument.starts_with('-') {
            return HIDDEN.to_owned();
        }
        let (shown, is_before_value) = without_value(argument);
        hides_next = is_before_value;
        without_login(&shown)
    });
    shown.collect()
}

/// Parts of names whose values are secrets: what stands in quotes behind the bracket.
fn words() -> impl Iterator<Item = &'static str> {
    LIST.split_once("NAMES = (").map_or("", |(_, list)| list).split('"').skip(1).step_by(2)
}

/// An argument without the value behind the name of a secret in it; and whether the next argument is that value.
fn without_value(argument: &str) -> (String, bool) {
    let lower = argument.to_ascii_lowercase();
    let Some(from) = words().filter_map(|word| lower.find(word)).min() else {
        return (argument.to_owned(), false);
    };
    match lower[from..].find(['=', ':', ' ']).map(|at| from + at) {
        None => (argument.to_owned(), argument.starts_with('-') || lower == "bearer"),
        Some(at) if &lower[at..] == ":" => (argument.to_owned(), true),
        Some(at) => (format!("{}{HIDDEN}", &argument[..=at]), false),
    }
}

/// An address without the name and password in front of its host.
fn without_login(argument: &str) -> String {
    let parts = argument.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.split('/').next().unwrap_or_default();
        Some((scheme, &rest[host.rfind('@')?..]))
    });
    match parts {
        Some((scheme, rest)) => format!("{scheme}://{HIDDEN}{rest}"),
        None => argument.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        assert!(
            words().count() > 10
                && words().all(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
        );
    }

    /// Python's side is held to the same file.
    #[test]
    fn values_of_secrets_are_hidden() {
        for case in include_str!("../../tests/shim/secrets.txt").lines() {
            let (given, shown) = case.split_once(" -> ").unwrap();
            let arguments: Vec<String> = given.split('|').map(str::to_owned).collect();
            assert_eq!(hide(&arguments).join("|"), shown);
        }
    }
}
