//! Names cut as Paddle prints them. Lengths are in characters.

/// Indents a name by `indent` blanks; if it is then longer than `width` characters, cuts it to `width`, with
/// dots at the end.
pub(super) fn fit(name: &str, indent: usize, width: usize) -> String {
    let blanks = " ".repeat(indent);
    if name.chars().count() + indent <= width {
        return format!("{blanks}{name}");
    }
    let kept: String = name.chars().take(width - indent - 3).collect();
    format!("{blanks}{kept}...")
}

/// Cuts the list of arguments off the name of a templated kernel, as Paddle does; returns other names whole.
pub(super) fn without_arguments(name: &str) -> &str {
    let line = name.split('\n').next().unwrap_or_default();
    let Some(open) = line.char_indices().skip(1).find(|&(_, c)| c == '<').map(|(at, _)| at) else {
        return name;
    };
    let Some(close) = line.rfind(')') else { return name };
    let ends = line[..close].rmatch_indices(">(").map(|(at, _)| at);
    ends.take(1).find(|&at| at > open).map_or(name, |at| &line[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_go() {
        for (name, want) in [
            ("void k<float, (int)0>(float*, int)", "void k<float, (int)0>"),
            ("k<int>(a)(b)", "k<int>"),
            ("k<a>(b<c>(d))", "k<a>(b<c>"),
            ("nccl(ncclWorkElem)", "nccl(ncclWorkElem)"),
            ("<a>(b)", "<a>(b)"),
            ("k<a>", "k<a>"),
            ("k>(a)<b", "k>(a)<b"),
            ("核<a>(b)", "核<a>"),
        ] {
            assert_eq!(without_arguments(name), want);
        }
    }

    #[test]
    fn long_names_end_in_dots() {
        assert_eq!(fit("abcdef", 2, 8), "  abcdef");
        assert_eq!(fit("abcdefg", 2, 8), "  abc...");
        assert_eq!(fit("核核核核核核核核核", 0, 8), "核核核核核...");
    }
}
