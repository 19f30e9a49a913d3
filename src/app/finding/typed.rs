//! What a line typed into the palette means where it is more than the name of a command: `w table.csv`,
//! `sort total`, `12.5ms`, `#7`.
//!
//! Must not know how that is done.

/// What a typed line asks for, beside commands by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Writing the screen or the table of the pane to this file.
    Write(&'a str),
    /// Sorting the rows of the pane by a column with this title or id, or by one that begins so.
    Sort(&'a str),
    /// Going to this time or step.
    Time(&'a str),
}

impl<'a> Typed<'a> {
    /// What `line` asks for; none where it can only be the name of a command.
    pub fn of(line: &'a str) -> Option<Self> {
        let line = line.trim();
        if line.starts_with(|c: char| c.is_ascii_digit() || "+-#".contains(c)) {
            return Some(Self::Time(line));
        }
        let (word, rest) = line.split_once(' ')?;
        match (word, rest.trim()) {
            (_, "") => None,
            ("w" | "write" | "export", path) => Some(Self::Write(path)),
            ("sort" | "order", column) => Some(Self::Sort(column)),
            _ => None,
        }
    }

    /// What the enter key does.
    pub fn title(self) -> String {
        match self {
            Self::Write(path) => format!("writes {path}"),
            Self::Sort(column) => format!("sorts by {column}"),
            Self::Time(time) => format!("goes to {time}"),
        }
    }
}

/// Says that no command has the typed name.
pub fn no_command(line: &str) -> String {
    format!("no command \"{}\"", line.trim())
}

#[cfg(test)]
mod tests {
    use super::Typed;

    #[test]
    fn files_columns_and_times_are_no_names_of_commands() {
        assert_eq!(Typed::of("w a b.csv"), Some(Typed::Write("a b.csv")));
        assert_eq!(Typed::of(" sort  total "), Some(Typed::Sort("total")));
        for time in ["12.5ms", "#7", "+3us", "-1ms"] {
            assert_eq!(Typed::of(time), Some(Typed::Time(time)));
        }
        for name in ["", "w", "w ", "zoom in", "sort", "q"] {
            assert_eq!(Typed::of(name), None, "{name}");
        }
    }
}
