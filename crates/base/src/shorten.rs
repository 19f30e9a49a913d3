//! The texts of a column, shortened to a width such that texts that differ are shown differently.
//!
//! Where texts lose their middle and look the same then, they are cut elsewhere: `forms` cuts the
//! stretches that they have in common. Must not know tables, rows or screens.

mod forms;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::text::SafeText;

/// The most rounds in which [`Shortened::new`] gives special forms only to texts that look alike; after them,
/// to all that are too wide.
const ROUNDS: usize = 4;

/// The shortened forms of the texts of a column, which usually differ where the texts do.
#[derive(Clone, Debug, Default)]
pub struct Shortened {
    /// The most columns of the terminal that a form may take.
    columns: usize,
    /// By text, the forms that `forms::forms` made, for texts that could look alike otherwise.
    apart: FxHashMap<String, String>,
}

impl Shortened {
    /// Shortens the `texts` that are wider than `columns` columns, usually such that different texts look
    /// different.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a SafeText<'a>>, columns: usize) -> Self {
        let mut wide: FxHashMap<&str, SafeText<'_>> = FxHashMap::default();
        let mut by_form: FxHashMap<(&str, &str), &str> = FxHashMap::default();
        let mut alike: FxHashSet<&str> = FxHashSet::default();
        for text in texts {
            if text.width() <= columns || wide.contains_key(text.as_str()) {
                continue;
            }
            wide.insert(text.as_str(), text.borrowed());
            let first = *by_form.entry(text.ends(columns)).or_insert(text.as_str());
            if first != text.as_str() {
                alike.extend([first, text.as_str()]);
            }
        }
        if alike.is_empty() {
            return Self { columns, apart: FxHashMap::default() };
        }
        for round in 1.. {
            if round > ROUNDS {
                alike.extend(wide.keys());
            }
            let apart = forms::forms(&alike, columns);
            // A form may look like that of a text that has only lost its middle.
            let shown: FxHashSet<&str> = apart.iter().map(|(_, form)| form.as_str()).collect();
            let others = wide.values().filter(|text| !alike.contains(text.as_str()));
            let taken: Vec<&str> = others
                .filter(|text| shown.contains(text.elide_middle(columns).as_str()))
                .map(SafeText::as_str)
                .collect();
            if taken.is_empty() {
                let owned = |(text, form): (&str, String)| (text.to_owned(), form);
                return Self { columns, apart: apart.into_iter().map(owned).collect() };
            }
            alike.extend(taken);
        }
        Self::default()
    }

    /// The form in which `text` is shown; the text itself if it fits in the width.
    pub fn of<'a>(&'a self, text: &'a SafeText<'_>) -> SafeText<'a> {
        match self.apart.get(text.as_str()) {
            Some(form) => SafeText::cut(Cow::Borrowed(form)),
            None => text.elide_middle(self.columns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(texts: &[&str], columns: usize) -> Vec<String> {
        let texts: Vec<SafeText<'_>> = texts.iter().map(|text| SafeText::new(text)).collect();
        let shortened = Shortened::new(&texts, columns);
        texts.iter().map(|text| shortened.of(text).to_string()).collect()
    }

    const CUTLASS: [&str; 4] = [
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(cutlass_80_tensorop::Params)",
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_32x3_nn_align4>(cutlass_80_tensorop::Params)",
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_32x3_tn_align4>(cutlass_80_tensorop::Params)",
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_32x3_tn_align8>(cutlass_80_tensorop::Params)",
    ];

    #[test]
    fn names_that_differ_in_the_middle_stay_apart() {
        assert_eq!(
            shown(&CUTLASS, 50),
            [
                "void cutla…m_128x128_32x3_nn_align4>(c…op::Params)",
                "void cutla…m_128x64_32x3_nn_align4>(cutla…:Params)",
                "void cutla…m_128x64_32x3_tn_align4>(cutlass…arams)",
                "void cutla…m_128x64_32x3_tn_align8>(cutlass…arams)",
            ]
        );
        let narrow = shown(&CUTLASS, 14);
        assert_eq!(distinct(&narrow), 4, "{narrow:?}");
        let lost = ["v…12…)", "v…6…n…", "v…6…", "v…6…"];
        assert_eq!(shown(&CUTLASS, 6), lost, "there is no room for all that differs");
    }

    #[test]
    fn names_that_are_apart_lose_their_middle() {
        let names = ["ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_tn", "ampere", "volta_sgemm_128x64_tn"];
        assert_eq!(shown(&names, 12), ["ampere_…4_nn", "ampere_…4_tn", "ampere", "volta_s…4_tn"]);
        assert_eq!(shown(&[CUTLASS[0]; 2], 20), ["void cutlass…Params)"; 2], "the same name is no other one");
        assert_eq!(shown(&CUTLASS, 0), [""; 4]);
        assert_eq!(shown(&[], 10), [""; 0]);
    }

    #[test]
    fn a_name_that_others_continue_ends_early() {
        let ends = "_and_the_same_end";
        let names =
            ["a_kernel_of_some_length".to_owned() + ends, format!("a_kernel_of_some_length{ends}{ends}")];
        assert_eq!(shown(&[&names[0], &names[1]], 20), ["a_kern…_end", "a_kern…_end_and_…end"]);
    }

    fn distinct<T: Ord + Clone>(all: &[T]) -> usize {
        let mut all = all.to_vec();
        all.sort();
        all.dedup();
        all.len()
    }

    proptest! {
        #[test]
        fn a_shortened_text_fits(
            texts in prop::collection::vec("[ab卷é\u{301}_👩]{0,40}", 0..12),
            columns in 0_usize..30,
        ) {
            let texts: Vec<SafeText<'_>> = texts.iter().map(|text| SafeText::new(text)).collect();
            let shortened = Shortened::new(&texts, columns);
            for text in &texts {
                let form = shortened.of(text);
                prop_assert!(form.width() <= columns, "{} in {} columns", form, columns);
                prop_assert!(text.width() > columns || form == *text, "{} fits", text);
                let mut graphemes = unicode_segmentation::UnicodeSegmentation::graphemes(text.as_str(), true);
                let parts = unicode_segmentation::UnicodeSegmentation::graphemes(form.as_str(), true);
                for part in parts.filter(|part| *part != "…") {
                    prop_assert!(graphemes.any(|known| known == part), "{} is of whole characters of {}", form, text);
                }
            }
        }

        #[test]
        fn what_differs_is_shown_where_it_fits(
            start in "[abc]{0,60}",
            middles in prop::collection::vec("[ab卷]{1,8}", 2..20),
            end in "[abc]{0,60}",
            more in 0_usize..20,
        ) {
            let widest = middles.iter().map(|middle| SafeText::new(middle).width()).max().unwrap_or_default();
            let texts: Vec<String> = middles.iter().map(|middle| format!("{start}{middle}{end}")).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let shown = shown(&texts, widest + 5 + more);
            prop_assert_eq!(distinct(&shown), distinct(&texts), "{:?} of {:?}", shown, texts);
        }

        #[test]
        fn the_order_of_the_texts_does_not_matter(
            mut texts in prop::collection::vec("k_[ab]{0,12}_[ab]{6,16}", 2..20),
            columns in 4_usize..24,
        ) {
            texts.sort();
            let form = |texts: &[String]| {
                let all: Vec<&str> = texts.iter().map(String::as_str).collect();
                let mut forms: Vec<_> = texts.iter().cloned().zip(shown(&all, columns)).collect();
                forms.sort();
                forms
            };
            let sorted = form(&texts);
            texts.reverse();
            prop_assert_eq!(sorted, form(&texts));
        }
    }
}
