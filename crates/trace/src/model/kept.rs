//! What the layers above found out about a trace, kept with it: each kind of it is made once, when it is
//! first asked for.
//!
//! A trace does not change, so what is made of it alone stays true, and all summaries of its parts share it.
//! Names inside graphs are added later: nothing that depends on them may be kept. Must not know what is kept.

use std::any::Any;
use std::sync::OnceLock;

/// Values computed from one trace, at most one of each type.
#[derive(Debug, Default)]
pub struct Kept(OnceLock<Box<Node>>);

/// The value of one type, and the rest of the list of values.
#[derive(Debug)]
struct Node {
    /// A `OnceLock` of the node's type, empty until the value is made.
    value: Box<dyn Any + Send + Sync>,
    next: Kept,
}

impl Kept {
    /// The value of the type `T`, made by `make` if there is none yet. Several threads may run `make` at
    /// once; all get the same value.
    pub fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        let value = self.of_type::<T>();
        if let Some(found) = value.get() {
            return found;
        }
        let made = make();
        value.get_or_init(|| made)
    }

    /// The cell for the value of the type `T`, added if there is none yet.
    fn of_type<T: Any + Send + Sync>(&self) -> &OnceLock<T> {
        let mut kept = self;
        loop {
            let new = || Box::new(Node { value: Box::new(OnceLock::<T>::new()), next: Self::default() });
            let node = kept.0.get_or_init(new);
            if let Some(found) = node.value.downcast_ref() {
                return found;
            }
            kept = &node.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_made_once() {
        let kept = Kept::default();
        assert_eq!(*kept.get(|| 7_u32), 7);
        assert_eq!(kept.get(|| String::from("a")), "a");
        // What is made may ask for other values.
        let length = kept.get(|| kept.get(|| vec![1_u8, 2]).len());
        assert_eq!(*length, 2);
        assert_eq!((*kept.get(|| 8_u32), kept.get(|| String::from("b")).as_str()), (7, "a"));
    }
}
