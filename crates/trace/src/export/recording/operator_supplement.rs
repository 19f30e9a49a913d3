//! Translates an operator's arguments into Paddle's operator supplement. There Paddle's readers find the
//! shapes of operators, whichever producer recorded them.
//!
//! Kineto does not name inputs, so their positions serve as names: a list of tensors has several shapes under
//! its position, a scalar has none. Must not know how the supplement is written.

use serde_json::{Map, Value};

use crate::model::nodetree::OperatorSupplementEventProto;
use crate::model::nodetree::operator_supplement_event_proto::{
    DtypeVector, Dtypes, InputShapes, Shape, ShapeVector,
};

/// The keys of an operator's arguments in Paddle's notation; Paddle's operator supplement has a field for
/// each.
const PADDLE: [&str; 5] = ["input_shapes", "input_dtypes", "callstack", "op_type", "op_id"];

/// The arguments of an operator, translated into Paddle's operator supplement as far as that has fields for
/// them.
#[derive(Debug)]
pub(super) struct OperatorArguments {
    /// The operator supplement; `None` where the arguments have nothing for it.
    pub supplement: Option<OperatorSupplementEventProto>,
    /// True where the arguments have only keys of Paddle's notation.
    pub is_all: bool,
    /// True where the arguments are in Paddle's notation: they have the key `input_shapes`.
    pub is_paddle: bool,
}

impl OperatorArguments {
    /// Parses the members of a JSON object, given without its braces; text that is not JSON counts as no
    /// arguments.
    pub(super) fn of(members: &str) -> Self {
        let all: Map<String, Value> = serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default();
        let is_paddle = all.contains_key(PADDLE[0]);
        let supplement = if is_paddle { paddle(&all) } else { kineto(&all) };
        let is_all = all.keys().all(|key| PADDLE.contains(&key.as_str()));
        Self {
            supplement: Some(supplement).filter(|of| *of != OperatorSupplementEventProto::default()),
            is_all,
            is_paddle,
        }
    }
}

/// The bytes of a JSON string; `None` for an empty string or any other value.
fn bytes(value: Option<&Value>) -> Option<Vec<u8>> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(|text| text.as_bytes().to_vec())
}

fn paddle(all: &Map<String, Value>) -> OperatorSupplementEventProto {
    let object = |key: &str| all.get(key).and_then(Value::as_object).filter(|object| !object.is_empty());
    let shapes = object("input_shapes").map(|object| InputShapes {
        key: object.keys().map(|key| key.clone().into_bytes()).collect(),
        shape_vecs: object.values().map(|list| ShapeVector { shapes: shapes(list) }).collect(),
    });
    let dtypes = object("input_dtypes").map(|object| Dtypes {
        key: object.keys().map(|key| key.clone().into_bytes()).collect(),
        dtype_vecs: object.values().map(|list| DtypeVector { dtype: texts(list) }).collect(),
    });
    OperatorSupplementEventProto {
        input_shapes: shapes,
        dtypes,
        callstack: bytes(all.get("callstack")),
        op_type: bytes(all.get("op_type")),
        op_id: all.get("op_id").and_then(Value::as_u64),
        ..OperatorSupplementEventProto::default()
    }
}

fn kineto(all: &Map<String, Value>) -> OperatorSupplementEventProto {
    let list = |key: &str| all.get(key).and_then(Value::as_array);
    let dims = list("Input Dims").or_else(|| list("Input dims")).map_or(&[][..], Vec::as_slice);
    let types = list("Input type").map_or(&[][..], Vec::as_slice);
    let (mut shapes_of, mut types_of) = (InputShapes::default(), Dtypes::default());
    for (position, dim) in dims.iter().enumerate() {
        let kind = types.get(position).and_then(Value::as_str);
        // Element types begin in lower case (`float`), kinds of values in upper case (`Scalar`); an empty
        // type is no tensor either.
        let is_tensor = kind.is_none_or(|kind| kind.starts_with(|c: char| c.is_ascii_lowercase()));
        let is_list = dim.as_array().is_some_and(|dim| dim.iter().any(Value::is_array));
        if !is_tensor && !is_list {
            continue;
        }
        let key = position.to_string().into_bytes();
        shapes_of.key.push(key.clone());
        let found = if is_list { shapes(dim) } else { vec![shape(dim)] };
        shapes_of.shape_vecs.push(ShapeVector { shapes: found });
        if let Some(kind) = kind {
            types_of.key.push(key);
            types_of.dtype_vecs.push(DtypeVector { dtype: vec![kind.as_bytes().to_vec()] });
        }
    }
    OperatorSupplementEventProto {
        input_shapes: Some(shapes_of).filter(|of| !of.key.is_empty()),
        dtypes: Some(types_of).filter(|of| !of.key.is_empty()),
        callstack: bytes(all.get("Call stack")),
        ..OperatorSupplementEventProto::default()
    }
}

/// The shape of each entry of a JSON array, as [`shape`] reads it; empty for a value that is no array.
fn shapes(list: &Value) -> Vec<Shape> {
    list.as_array().into_iter().flatten().map(shape).collect()
}

/// The shape in a JSON array of sizes; entries that are no sizes are left out.
fn shape(sizes: &Value) -> Shape {
    Shape { size: sizes.as_array().into_iter().flatten().filter_map(Value::as_u64).collect() }
}

fn texts(list: &Value) -> Vec<Vec<u8>> {
    let all = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    all.map(|text| text.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodetree::args::supplemented;

    fn shown(members: &str) -> (String, bool) {
        let arguments = OperatorArguments::of(members);
        let of = arguments.supplement.unwrap_or_default();
        let all: Vec<String> = supplemented(&of).into_iter().map(|(_, value)| format!("{value};")).collect();
        (all.concat(), arguments.is_all)
    }

    #[test]
    fn inputs_of_kineto_are_named_by_position() {
        let (text, is_all) = shown(
            r#""Input Dims":[[32,64],[],[[2,3],[4]],[]],"Input type":["float","Scalar","TensorList","long int"],"Ev Idx":3"#,
        );
        assert_eq!(
            text,
            r#"{"0":[[32,64]],"2":[[2,3],[4]],"3":[[]]};{"0":["float"],"2":["TensorList"],"3":["long int"]};"";"#
        );
        assert!(!is_all);
    }

    #[test]
    fn arguments_of_paddle_are_taken_unchanged() {
        let members = r#""input_shapes":{"X":[[8,4],[1]]},"input_dtypes":{"X":["float32","int64"]},"callstack":"a","op_type":"mul","op_id":7"#;
        let (text, is_all) = shown(members);
        assert_eq!(text, r#"{"X":[[8,4],[1]]};{"X":["float32","int64"]};"a";"mul";7;"#);
        assert!(is_all);
        assert!(OperatorArguments::of(r#""Ev Idx":3"#).supplement.is_none());
    }
}
