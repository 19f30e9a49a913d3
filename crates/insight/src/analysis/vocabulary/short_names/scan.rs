//! The words of a C++ name that say what a function is: those outside of lists of parameters.
//!
//! Must not know what words mean.

/// A word of a name: letters, digits and `_`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// What follows the word.
    pub(super) rest: &'a str,
    /// True within the parameters of a lambda, the only parameters whose words are returned.
    pub(super) in_lambda: bool,
}

impl Word<'_> {
    /// True for a namespace or class that encloses what follows.
    pub(super) fn is_scope(&self) -> bool {
        self.rest.starts_with("::")
    }
}

/// The words of `name` outside of parentheses, in order, and those in the parentheses of lambdas.
pub(super) fn words(name: &str) -> impl Iterator<Item = Word<'_>> {
    let bytes = name.as_bytes();
    let mut at = 0;
    // For each open parenthesis, whether it is a lambda's.
    let mut open: Vec<bool> = Vec::new();
    let mut hidden = 0_usize;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let from = at;
            at += 1;
            match bytes[from] {
                b'(' => {
                    let is_lambda = name.as_bytes()[..from].ends_with(b"{lambda");
                    hidden += usize::from(!is_lambda);
                    open.push(is_lambda);
                }
                b')' => hidden -= usize::from(open.pop() == Some(false)),
                byte if is_part(byte) => {
                    at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
                    if hidden == 0 {
                        let in_lambda = open.last() == Some(&true);
                        return Some(Word { text: &name[from..at], rest: &name[at..], in_lambda });
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// True for the bytes of words, which are also those of characters outside of ASCII.
pub(super) fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_lists_of_parameters_are_left_out() {
        let name = "void f<4, g(a::B&, int)::{lambda(float)#1}>(c, (d)0)";
        let found: Vec<&str> = words(name).map(|word| word.text).collect();
        assert_eq!(found, ["void", "f", "4", "g", "lambda", "float", "1"]);
        let scopes: Vec<&str> = words("at::(anonymous namespace)::f<x::y>")
            .filter(Word::is_scope)
            .map(|word| word.text)
            .collect();
        assert_eq!(scopes, ["at", "x"]);
        assert_eq!(words("))((a").count(), 0);
    }
}
