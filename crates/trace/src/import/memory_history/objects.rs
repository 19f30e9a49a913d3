//! The objects of a pickle: lists and dicts, and what those of a snapshot become as they are closed.
//!
//! Must not know opcodes.

use rustc_hash::FxHashMap;

use crate::model::{StackId, Stacks};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;

use super::parts::{ACTIONS, Action, Block, Event, Segment};

/// A value on the unpickler's stack, in its memo, or in a list or dict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A text, by its number in [`Objects::texts`].
    Text(StrId),
    /// An object, by its index in [`Objects`].
    Object(u32),
}

/// A list, a tuple, a dict, or what a closed dict or list has become.
#[derive(Debug)]
enum Object {
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// A frame, by the number of its name in the stacks.
    Frame(StrId),
    Stack(StackId),
    Event(u32),
    Block(u32),
    Segment,
}

/// Why items cannot be added to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// What is wrong with the pickle.
    Bad(&'static str),
    Memory,
}

impl From<NoMemory> for Fault {
    fn from(NoMemory: NoMemory) -> Self {
        Self::Memory
    }
}

macro_rules! keys {
    ($($key:ident),+) => {
        /// The keys of a snapshot's dicts, as numbers of texts.
        #[derive(Debug)]
        struct Keys { $($key: StrId),+ }

        impl Keys {
            fn of(texts: &mut Interner) -> Self {
                Self { $($key: texts.intern(stringify!($key).as_bytes())),+ }
            }
        }
    };
}

keys!(
    action,
    addr,
    address,
    size,
    requested_size,
    total_size,
    stream,
    time_us,
    device_free,
    frames,
    history,
    user_metadata,
    compile_context,
    name,
    filename,
    line,
    state,
    device,
    blocks,
    active_allocated
);

/// The objects that a pickle has built so far.
#[derive(Debug)]
pub(super) struct Objects {
    all: Vec<Object>,
    pub texts: Interner,
    keys: Keys,
    actions: Vec<(StrId, Action)>,
    pub events: Vec<Event>,
    pub blocks: Vec<Block>,
    pub segments: Vec<Segment>,
    pub stacks: Stacks,
    frames: FxHashMap<(StrId, StrId, i64), StrId>,
    known_stacks: FxHashMap<Box<[StrId]>, StackId>,
    /// Estimated bytes in lists, dicts and known stacks.
    listed: u64,
}

/// The items of a dict, as keys and values one after the other.
#[derive(Clone, Copy)]
struct Items<'a>(&'a [Value]);

impl Items<'_> {
    fn get(self, key: StrId) -> Option<Value> {
        self.0.chunks_exact(2).find(|pair| pair[0] == Value::Text(key)).map(|pair| pair[1])
    }

    fn int(self, key: StrId) -> Option<i64> {
        match self.get(key)? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    fn text(self, key: StrId) -> Option<StrId> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Objects {
    pub(super) fn new() -> Self {
        let mut texts = Interner::default();
        let keys = Keys::of(&mut texts);
        let actions = ACTIONS.iter().map(|&(name, action)| (texts.intern(name.as_bytes()), action)).collect();
        Self {
            all: Vec::new(),
            texts,
            keys,
            actions,
            events: Vec::new(),
            blocks: Vec::new(),
            segments: Vec::new(),
            stacks: Stacks::default(),
            frames: FxHashMap::default(),
            known_stacks: FxHashMap::default(),
            listed: 0,
        }
    }

    /// Estimated bytes that the objects take.
    pub(super) fn size(&self) -> u64 {
        let of = |len: usize, bytes: usize| len as u64 * bytes as u64;
        of(self.all.len(), size_of::<Object>())
            + of(self.events.len(), size_of::<Event>())
            + of(self.blocks.len(), size_of::<Block>())
            + of(self.segments.len(), size_of::<Segment>())
            + of(self.frames.len(), 40)
            + self.texts.size() as u64
            + self.stacks.size()
            + self.listed
    }

    fn push(&mut self, object: Object) -> Result<Value, NoMemory> {
        heap::try_push(&mut self.all, object)?;
        Ok(Value::Object(saturate::<u32>(self.all.len() - 1)))
    }

    pub(super) fn dict(&mut self) -> Result<Value, NoMemory> {
        self.push(Object::Dict(Vec::new()))
    }

    /// A new list or tuple of `items`.
    pub(super) fn list(&mut self, items: &[Value]) -> Result<Value, NoMemory> {
        self.listed += size_of_val(items) as u64;
        let items = heap::try_collect(items.iter().copied())?;
        self.push(Object::List(items))
    }

    pub(super) fn text(&mut self, text: &[u8]) -> Result<Value, NoMemory> {
        self.texts.try_intern(text).map(Value::Text)
    }

    fn get(&self, value: Value) -> Option<&Object> {
        match value {
            Value::Object(at) => self.all.get(at as usize),
            _ => None,
        }
    }

    /// Adds items to the end of a list. Frames at the beginning of a list make it a stack.
    pub(super) fn append(&mut self, list: Value, items: &[Value]) -> Result<(), Fault> {
        let frames = self.frames_of(items);
        let Value::Object(at) = list else { return Err(Fault::Bad("items for what is no list")) };
        match self.all.get_mut(at as usize) {
            Some(Object::List(own)) if own.is_empty() && frames.is_some() => {
                let stack = self.stack(frames.unwrap_or_default())?;
                self.all[at as usize] = Object::Stack(stack);
            }
            Some(Object::List(own)) => {
                self.listed += size_of_val(items) as u64;
                heap::try_grow(own, items.len())?;
                own.extend_from_slice(items);
            }
            // The frames beyond the first thousand of a stack.
            Some(Object::Stack(_)) => {}
            _ => return Err(Fault::Bad("items for what is no list")),
        }
        Ok(())
    }

    /// The frames that `items` are; `None` if there are none, or one is no frame.
    fn frames_of(&self, items: &[Value]) -> Option<Vec<StrId>> {
        let frame = |&item: &Value| match self.get(item) {
            Some(Object::Frame(name)) => Some(*name),
            _ => None,
        };
        // Most lists are none of frames.
        frame(items.first()?)?;
        items.iter().map(frame).collect()
    }

    fn stack(&mut self, frames: Vec<StrId>) -> Result<StackId, NoMemory> {
        if let Some(&known) = self.known_stacks.get(frames.as_slice()) {
            return Ok(known);
        }
        let id = self.stacks.push(frames.iter().copied())?;
        heap::fallible(|| self.known_stacks.try_reserve(1))?;
        self.listed += (size_of_val(frames.as_slice()) + 40) as u64;
        self.known_stacks.insert(frames.into(), id);
        Ok(id)
    }

    /// Adds keys and values to a dict. One with the keys of an event, block, segment or frame becomes that.
    pub(super) fn set(&mut self, dict: Value, items: &[Value]) -> Result<(), Fault> {
        if !items.len().is_multiple_of(2) {
            return Err(Fault::Bad("a key without a value"));
        }
        let Value::Object(at) = dict else { return Err(Fault::Bad("keys for what is no dict")) };
        match self.all.get(at as usize) {
            Some(Object::Dict(own)) if own.is_empty() => {
                if let Some(closed) = self.closed(Items(items))? {
                    self.all[at as usize] = closed;
                    return Ok(());
                }
            }
            Some(Object::Dict(_)) => {}
            // Keys behind the first thousand of an event, which has some ten.
            Some(Object::Event(_) | Object::Block(_) | Object::Segment | Object::Frame(_)) => {
                return Ok(());
            }
            _ => return Err(Fault::Bad("keys for what is no dict")),
        }
        if let Some(Object::Dict(own)) = self.all.get_mut(at as usize) {
            self.listed += size_of_val(items) as u64;
            heap::try_grow(own, items.len() / 2)?;
            own.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        }
        Ok(())
    }

    /// What a dict of these items becomes; `None` for a dict that stays one.
    fn closed(&mut self, items: Items<'_>) -> Result<Option<Object>, NoMemory> {
        let keys = &self.keys;
        if let Some(action) = items.text(keys.action) {
            let event = self.event(items, action);
            heap::try_push(&mut self.events, event)?;
            return Ok(Some(Object::Event(saturate::<u32>(self.events.len() - 1))));
        }
        if let (Some(file), Some(name)) = (items.text(keys.filename), items.text(keys.name)) {
            let line = items.int(keys.line).unwrap_or_default();
            return self.frame(file, name, line).map(|name| Some(Object::Frame(name)));
        }
        if let Some(size) = items.int(keys.total_size) {
            let segment = Segment {
                device: items.int(keys.device).unwrap_or_default(),
                address: items.int(keys.address).unwrap_or_default().cast_unsigned(),
                size,
                blocks: self.blocks_of(items.get(keys.blocks)),
            };
            heap::try_push(&mut self.segments, segment)?;
            return Ok(Some(Object::Segment));
        }
        if let Some(state) = items.text(keys.state) {
            let size = items.int(keys.size).unwrap_or_default();
            let requested = items.int(keys.requested_size).filter(|&bytes| bytes > 0).unwrap_or(size);
            let block = Block {
                address: items.int(keys.address).map(i64::cast_unsigned),
                size,
                requested,
                is_allocated: state == keys.active_allocated,
                stack: self.stack_of(items),
            };
            heap::try_push(&mut self.blocks, block)?;
            return Ok(Some(Object::Block(saturate::<u32>(self.blocks.len() - 1))));
        }
        Ok(None)
    }

    fn event(&self, items: Items<'_>, action: StrId) -> Event {
        let keys = &self.keys;
        let known = self.actions.iter().find(|(name, _)| *name == action);
        Event {
            action: known.map_or(Action::Unknown, |(_, action)| *action),
            name: action,
            address: items.int(keys.addr).unwrap_or_default().cast_unsigned(),
            bytes: items.int(keys.size).unwrap_or_default(),
            stream: items.int(keys.stream).unwrap_or_default(),
            time: items.int(keys.time_us),
            device_free: items.int(keys.device_free),
            stack: self.stack_of(items),
            metadata: items.text(keys.user_metadata).unwrap_or_default(),
            context: items.text(keys.compile_context).unwrap_or_default(),
        }
    }

    /// The number of a frame's name: `train.py(18): step`, without a file `step`.
    fn frame(&mut self, file: StrId, name: StrId, line: i64) -> Result<StrId, NoMemory> {
        if let Some(&known) = self.frames.get(&(file, name, line)) {
            return Ok(known);
        }
        let mut text = Vec::new();
        if !matches!(self.texts.bytes(file), b"" | b"??") {
            text.extend_from_slice(self.texts.bytes(file));
            text.extend_from_slice(format!("({line}): ").as_bytes());
        }
        text.extend_from_slice(self.texts.bytes(name));
        let id = self.stacks.name(&text)?;
        heap::fallible(|| self.frames.try_reserve(1))?;
        self.frames.insert((file, name, line), id);
        Ok(id)
    }

    /// The stack under the key `frames` or, as torch 2.0 writes it, of the first entry of `history`.
    fn stack_of(&self, items: Items<'_>) -> StackId {
        let of = |value: Option<Value>| match value.and_then(|value| self.get(value)) {
            Some(Object::Stack(id)) => Some(*id),
            _ => None,
        };
        let of_history = || {
            let Some(Object::List(entries)) = items.get(self.keys.history).and_then(|value| self.get(value))
            else {
                return None;
            };
            let Some(Object::Dict(first)) = entries.first().and_then(|&first| self.get(first)) else {
                return None;
            };
            of(first.iter().find(|(key, _)| *key == Value::Text(self.keys.frames)).map(|(_, value)| *value))
        };
        of(items.get(self.keys.frames)).or_else(of_history).unwrap_or(StackId::NONE)
    }

    fn blocks_of(&self, list: Option<Value>) -> Vec<u32> {
        let Some(Object::List(items)) = list.and_then(|list| self.get(list)) else { return Vec::new() };
        let block = |&item: &Value| match self.get(item) {
            Some(Object::Block(at)) => Some(*at),
            _ => None,
        };
        items.iter().filter_map(block).collect()
    }

    /// The elements of a list; empty for another value.
    pub(super) fn elements(&self, list: Value) -> &[Value] {
        match self.get(list) {
            Some(Object::List(items)) => items,
            _ => &[],
        }
    }

    /// The keys and values of a dict; empty for another value.
    pub(super) fn items(&self, dict: Value) -> &[(Value, Value)] {
        match self.get(dict) {
            Some(Object::Dict(items)) => items,
            _ => &[],
        }
    }

    /// The index of the event that a value is; `None` for another value.
    pub(super) fn event_at(&self, value: Value) -> Option<u32> {
        match self.get(value) {
            Some(Object::Event(at)) => Some(*at),
            _ => None,
        }
    }
}
