//! What is told of an operator in Paddle's words: its readers find the shapes of any producer's operators.
//!
//! Inputs of Kineto's have no names, so their places stand for them: an input that is a list of tensors has several shapes under its
//! place, a number none. Must not know how it is written.

use serde_json::{Map, Value};

use crate::model::nodetree::OperatorSupplementEventProto;
use crate::model::nodetree::operator_supplement_event_proto::{
    DtypeVector, Dtypes, InputShapes, Shape, ShapeVector,
};

/// The keys that all of a supplement comes from where Paddle is the producer.
const PADDLE: [&str; 5] = ["input_shapes", "input_dtypes", "callstack", "op_type", "op_id"];

/// An operator's arguments, read from their text.
#[derive(Debug)]
pub(super) struct Told {
    /// What Paddle's readers look for; none where there is nothing of it.
    pub supplement: Option<OperatorSupplementEventProto>,
    /// True where the supplement is all there is.
    pub is_all: bool,
    /// True where the arguments have the supplement in Paddle's words already.
    pub is_paddle: bool,
}

impl Told {
    /// From members of a JSON object.
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
    for (place, dim) in dims.iter().enumerate() {
        let kind = types.get(place).and_then(Value::as_str);
        // The type of an element begins with a small letter, a kind of value with a capital; nothing is no tensor either.
        let is_tensor = kind.is_none_or(|kind| kind.starts_with(|c: char| c.is_ascii_lowercase()));
        let is_list = dim.as_array().is_some_and(|dim| dim.iter().any(Value::is_array));
        if !is_tensor && !is_list {
            continue;
        }
        let key = place.to_string().into_bytes();
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

fn shapes(list: &Value) -> Vec<Shape> {
    list.as_array().into_iter().flatten().map(shape).collect()
}

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
        let told = Told::of(members);
        let of = told.supplement.unwrap_or_default();
        let all: Vec<String> = supplemented(&of).into_iter().map(|(_, value)| format!("{value};")).collect();
        (all.concat(), told.is_all)
    }

    #[test]
    fn inputs_of_kineto_go_by_their_places() {
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
    fn what_paddle_told_is_taken_as_it_is() {
        let members = r#""input_shapes":{"X":[[8,4],[1]]},"input_dtypes":{"X":["float32","int64"]},"callstack":"a","op_type":"mul","op_id":7"#;
        let (text, is_all) = shown(members);
        assert_eq!(text, r#"{"X":[[8,4],[1]]};{"X":["float32","int64"]};"a";"mul";7;"#);
        assert!(is_all);
        assert!(Told::of(r#""Ev Idx":3"#).supplement.is_none());
    }
}
