//! Hostile text: made of parts that control terminals, have a width of no column or two, or combine with each
//! other.

use arbitrary::{Arbitrary, Result, Unstructured};

/// The parts by number; larger numbers are ASCII characters.
const PIECES: &[&str] = &[
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\0",
    "\n",
    "\t",
    "\r",
    "\x7f",
    "\u{80}",
    "\u{9b}31m",
    "\u{ad}",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{200b}",
    "\u{200d}",
    "\u{200e}",
    "\u{2028}",
    "\u{2060}",
    "\u{feff}",
    "\u{301}",
    "\u{301}\u{302}\u{303}\u{304}\u{305}",
    "\u{20dd}",
    "\u{fe0f}",
    "\u{fe0e}",
    "\u{e0100}",
    "\u{e0041}",
    "\u{e000}",
    "\u{fffe}",
    "\u{fdd0}",
    "\u{10ffff}",
    "卷积",
    "한",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{115f}",
    "\u{1160}",
    "\u{3164}",
    "\u{ffa0}",
    "ｱ\u{ff9e}",
    "⚠",
    "😀",
    "👩\u{200d}💻",
    "👍🏽",
    "🇩",
    "🇩🇪",
    "1\u{20e3}",
    "क\u{94d}ष",
    "\u{903}",
    "\u{93e}",
    "ที่",
    "\u{e33}",
    "ลำ",
    "العربية",
    "\u{61c}",
    "\u{600}",
    "\u{70f}",
    "\u{110bd}",
    "\u{d4e}",
    "\u{1f3fb}",
    "\u{302e}",
    "\u{3099}",
    "\u{a9c0}",
    "ﷺ",
    "\u{fdfd}",
    "\u{12433}",
    "⸻",
    "…",
    "│",
    "\u{fffd}",
    "\u{d7b0}",
    "\u{a960}",
    "\u{1d173}",
    "\u{17b4}",
    "\u{180e}",
    "\u{34f}",
    "\u{2d7f}",
    "\u{1f9d1}",
    "ᬅ\u{1b44}",
    "\u{0d4d}",
    "\u{0f71}\u{0f72}",
    "\u{1cd0}",
    " · ",
    " ",
    "\"",
    "\\",
    "\\u001b",
    "a_long_name_of_a_kernel<float, 128, 64>(at::Tensor const&)",
    "ProfilerStep#",
    "[memory]",
    "thread ",
    "stream ",
];

/// A text made of such parts.
#[derive(Clone, Debug, Default)]
pub struct Text(pub String);

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let mut out = String::new();
        let pieces = usize::from(u8::arbitrary(input)?) % 24;
        for _ in 0..pieces {
            let number = u8::arbitrary(input)?;
            match number {
                0..=160 => out.push_str(PIECES[usize::from(number) % PIECES.len()]),
                161..=180 => out.push(char::arbitrary(input)?),
                _ => out.push((b' ' + number % 95) as char),
            }
        }
        Ok(Self(out))
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, None)
    }
}

/// Appends `text` as a JSON string; with `is_raw` control characters are not escaped, as some producers write
/// them.
pub fn quote(out: &mut String, text: &str, is_raw: bool) {
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' | '\\' => out.extend(['\\', ch]),
            '\0'..='\x1f' if !is_raw => out.push_str(&format!("\\u{:04x}", u32::from(ch))),
            _ => out.push(ch),
        }
    }
    out.push('"');
}
