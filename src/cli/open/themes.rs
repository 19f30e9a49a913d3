//! The themes of the explorer: that of the settings at first, then the built-in ones, one after the other.
//!
//! Must not know what is drawn.

use crate::ui::theme::{Background, Depth, Detail, Theme, ThemeFile};

/// The theme that is drawn in, and what the next one is made for.
pub(super) struct Themes {
    /// The theme for each [`Detail`], in the order of its variants.
    shown: [Theme; 3],
    depth: Depth,
    /// The index of the next built-in theme.
    next: usize,
}

impl Themes {
    /// Begins with `theme`, on a terminal with this number of colours.
    pub(super) fn new(theme: &Theme, depth: Depth) -> Self {
        let name = if theme.background() == Background::Light { "light" } else { "dark" };
        let own = ThemeFile::names().position(|other| other == name).unwrap_or_default();
        Self { shown: theme.of_each_detail(), depth, next: own + 1 }
    }

    /// The theme to draw in with so much detail.
    pub(super) fn get(&self, detail: Detail) -> &Theme {
        &self.shown[detail as usize]
    }

    /// Takes the next built-in theme, and returns a text for the user with its name.
    pub(super) fn take_next(&mut self) -> String {
        let at = self.next % ThemeFile::names().count().max(1);
        self.next = at + 1;
        let Some((name, file)) =
            ThemeFile::names().nth(at).and_then(|name| Some((name, ThemeFile::built_in(name)?)))
        else {
            return "there is no other theme".into();
        };
        self.shown = Theme::of(&file, self.depth, self.shown[0].utf8).of_each_detail();
        format!("theme {name}; --theme {name} starts with it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_comes_once_before_one_comes_again() {
        let mut themes = Themes::new(&Theme::new(Depth::True, Background::Dark, true), Depth::True);
        let count = ThemeFile::names().count();
        let said: Vec<String> = (0..count).map(|_| themes.take_next()).collect();
        assert_eq!(said[0], "theme light; --theme light starts with it");
        assert_eq!(themes.get(Detail::Full).background(), Background::Dark);
        let mut names = said.clone();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{said:?}");
        assert_eq!(themes.take_next(), said[0]);
    }
}
