//! Writes a loaded trace, or a part of it, in the form of PyTorch's profiler, with the arguments of its
//! events, which are read again from its files.
//!
//! Must not know either format.

use std::io::Write;

use proftui_trace::export::{Excerpt, ExportError, Kineto, OWN_CATEGORY, ReadAgain, TakeArgument};
use proftui_trace::import::{Loaded, RawEvent, VisitError};
use proftui_trace::model::Trace;

use super::error::AskError;
use super::within::Within;

/// The part of a trace that is to be written; `what` says in words what it is.
///
/// # Errors
/// When the trace lacks the steps, lanes or rank asked for.
pub fn excerpt(trace: &Trace, within: &Within, what: String) -> Result<Excerpt, AskError> {
    let scope = within.of(trace)?;
    Ok(Excerpt::of(trace, scope.span, scope.lanes, what))
}

/// Writes a trace in the form of PyTorch's profiler; with `excerpt` only that part of it. If `is_anonymous`,
/// names of files, hosts, users and of the program's own code become numbers or are left out.
///
/// # Errors
/// When the files cannot be read again, and when writing fails.
pub fn write_kineto(
    loaded: &Loaded,
    excerpt: Option<Excerpt>,
    is_anonymous: bool,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut writer = Kineto::new(&loaded.trace, excerpt, is_anonymous, to)?;
    let lost = |error: VisitError| ExportError::Again(error.to_string());
    let ends = writer.ends();
    loaded.texts.visit(&ends, |at, event| writer.end(at, &Again(event))).map_err(lost)?;
    let origins = writer.origins().to_vec();
    loaded.texts.visit(&origins, |at, event| writer.event(at, &Again(event))).map_err(lost)?;
    writer.finish()
}

/// An event that was read again.
struct Again<'a, 'e>(&'e RawEvent<'a, 'e>);

impl ReadAgain for Again<'_, '_> {
    fn category(&self) -> Option<String> {
        let category = self.0.field(OWN_CATEGORY.as_bytes()).or_else(|| self.0.field(b"cat"))?;
        Some(String::from_utf8_lossy(&category.text()).into_owned())
    }

    fn arguments(&self, each: &mut TakeArgument<'_>) {
        for (key, value) in self.0.arguments {
            each(&as_json(key), &|out: &mut String| value.push_json(out));
        }
    }
}

/// A key as it stands in JSON, without its quotes: as in the file, unless that is no JSON.
fn as_json(key: &[u8]) -> String {
    let text = String::from_utf8_lossy(key).into_owned();
    if text.bytes().all(|byte| byte >= b' ' && byte != b'\\')
        || serde_json::from_str::<String>(&format!("\"{text}\"")).is_ok()
    {
        return text;
    }
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
