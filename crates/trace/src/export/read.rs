//! Reads a profile of Paddle in any form that can be converted: protobuf, JSON with protobuf messages,
//! Paddle's own JSON.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::model::nodetree::NodeTreesProto;

use super::{ExportError, decode, from_json, paddle_json};

/// A profile that was read, and what its file lacks.
#[derive(Debug)]
pub struct Converted {
    /// The profile as Paddle's protobuf has it: its header and the trees of its threads.
    pub trees: NodeTreesProto,
    /// Lines for the user on what the JSON lacks, and what of it was left out or mended.
    pub lacks: Vec<String>,
}

/// The members of a document by which Paddle's own JSON, and JSON that proftui recorded, is recognised.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "schemaVersion")]
    version: Option<serde_json::Value>,
    span_index: Option<IgnoredAny>,
    span_indx: Option<IgnoredAny>,
    #[serde(rename = "ExtraInfo", default)]
    extra: std::collections::BTreeMap<String, serde_json::Value>,
}

/// Reads a profile of Paddle from a file's bytes: protobuf, JSON with protobuf messages, or Paddle's own
/// JSON. Mends names and numbers that are invalid JSON.
///
/// # Errors
/// When it is none of these, has messages before their parents, or is JSON that proftui recorded.
pub fn read(text: &[u8]) -> Result<Converted, ExportError> {
    if !matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Ok(Converted { trees: decode(text)?, lacks: Vec::new() });
    }
    match json(text) {
        Err(ExportError::Json(error)) => {
            let repaired = paddle_json::repair(text).ok_or(ExportError::Json(error))?;
            let mut converted = json(&repaired)?;
            converted.lacks.push(
                "the file is no valid JSON: names are not escaped, or numbers not finite; names are read \
                 by Paddle's layout, such numbers as 0"
                    .into(),
            );
            Ok(converted)
        }
        read => read,
    }
}

fn json(text: &[u8]) -> Result<Converted, ExportError> {
    match from_json(text) {
        Err(ExportError::NoMessages) => {}
        read => return Ok(Converted { trees: read?, lacks: Vec::new() }),
    }
    let head: Head = serde_json::from_slice(text)?;
    if head.extra.keys().any(|key| key.starts_with("proftui.")) {
        return Err(ExportError::Recorded);
    }
    let has_span = head.span_index.is_some() || head.span_indx.is_some();
    if !has_span || !head.version.is_some_and(|version| version.is_string()) {
        return Err(ExportError::NoMessages);
    }
    let (trees, lacks) = paddle_json::read(text)?;
    Ok(Converted { trees, lacks })
}
