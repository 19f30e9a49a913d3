//! Reading a pickle's opcodes: those that memory snapshots have, and no others. None of them names or calls
//! anything.
//!
//! Must not know what dicts mean.

use crate::import::bytes::stream::{Ended, Stream};
use proftui_base::heap;
use proftui_base::heap::NoMemory;
use proftui_base::text::SafeText;

use super::objects::{self, Objects, Value};

/// The most bytes of a text that are kept; what is behind them is left out.
const LONGEST_TEXT: u64 = 1 << 20;
/// By how many entries a pickle may skip ahead in its memo.
const MEMO_GAP: usize = 1 << 10;
/// After how many opcodes the memory in use is compared with the limit.
const CHECK: u64 = 1 << 14;
/// The most bytes of a name that is refused.
const LONGEST_NAME: usize = 200;

/// Why reading stopped before the pickle's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text ends inside the pickle.
    Ended,
    /// There is no memory for more.
    Memory,
    /// What was read takes more memory than the limit.
    Limit,
    /// Loading was cancelled.
    Cancelled,
    /// The pickle asks for what snapshots never need, such as a class or a call: what it is, in words.
    Refused(String),
    /// The pickle is damaged: what is wrong, in words.
    Bad(&'static str),
}

impl From<Ended> for Fault {
    fn from(Ended: Ended) -> Self {
        Self::Ended
    }
}

impl From<NoMemory> for Fault {
    fn from(NoMemory: NoMemory) -> Self {
        Self::Memory
    }
}

impl From<objects::Fault> for Fault {
    fn from(fault: objects::Fault) -> Self {
        match fault {
            objects::Fault::Bad(what) => Self::Bad(what),
            objects::Fault::Memory => Self::Memory,
        }
    }
}

/// A pickle that is being read.
pub(super) struct Unpickler<'p> {
    pub stream: Stream<'p>,
    pub objects: Objects,
    stack: Vec<Value>,
    /// The lengths of the stack at which items were begun.
    marks: Vec<usize>,
    memo: Vec<Value>,
    /// The most bytes that may be in use; `None` without a limit.
    limit: Option<u64>,
    /// The offset of the opcode read last.
    pub at: u64,
}

impl<'p> Unpickler<'p> {
    pub(super) fn new(stream: Stream<'p>, limit: Option<u64>) -> Self {
        let (stack, marks, memo) = (Vec::new(), Vec::new(), Vec::new());
        Self { stream, objects: Objects::new(), stack, marks, memo, limit, at: 0 }
    }

    /// Reads up to the end of the pickle. `go_on` is asked from time to time, with the number of events so
    /// far, whether to read on.
    pub(super) fn run(&mut self, mut go_on: impl FnMut(usize) -> bool) -> Result<(), Fault> {
        let mut count: u64 = 0;
        loop {
            if count.is_multiple_of(CHECK) {
                if !go_on(self.objects.events.len()) {
                    return Err(Fault::Cancelled);
                }
                if self.limit.is_some_and(|limit| self.size() > limit) {
                    return Err(Fault::Limit);
                }
            }
            count += 1;
            self.at = self.stream.offset();
            if self.opcode()? {
                return Ok(());
            }
        }
    }

    /// Estimated bytes in use.
    pub(super) fn size(&self) -> u64 {
        let values = self.memo.len() + self.stack.len();
        self.objects.size() + (values * size_of::<Value>()) as u64
    }

    /// Drops the memo, which only opcodes need.
    pub(super) fn end(&mut self) {
        self.memo = Vec::new();
    }

    /// The root of the pickle; `None` if there is none.
    pub(super) fn root(&self) -> Option<Value> {
        self.stack.first().copied()
    }

    /// The elements of a list, also those that were read but not yet added to it.
    pub(super) fn elements(&self, list: Value) -> Vec<Value> {
        let pending = self.pending(list);
        self.objects.elements(list).iter().chain(pending).copied().collect()
    }

    /// The values of a dict under a key, also if it was read but not yet added; `None` if there is none.
    pub(super) fn value(&self, dict: Value, key: &[u8]) -> Option<Value> {
        let key = Value::Text(self.objects.texts.find(key)?);
        let own = self.objects.items(dict).iter().find(|(other, _)| *other == key).map(|(_, value)| *value);
        let is_key = |pair: &&[Value]| pair[0] == key;
        own.or_else(|| self.pending(dict).chunks_exact(2).find(is_key).map(|pair| pair[1]))
    }

    /// The items for a list or dict that were read but not yet added to it.
    fn pending(&self, container: Value) -> &[Value] {
        let is_for = |&(_, &mark): &(usize, &usize)| {
            mark.checked_sub(1).and_then(|below| self.stack.get(below)) == Some(&container)
        };
        let Some((level, &from)) = self.marks.iter().enumerate().find(is_for) else { return &[] };
        let to = self.marks.get(level + 1).copied().unwrap_or(self.stack.len());
        self.stack.get(from..to.max(from)).unwrap_or(&[])
    }

    /// Carries out the next opcode; true at the end of the pickle.
    fn opcode(&mut self) -> Result<bool, Fault> {
        let value = match self.stream.byte()? {
            b'.' => return Ok(true),
            0x80 => {
                let version = self.stream.byte()?;
                return if version > 5 {
                    Err(Fault::Bad("an unknown version of pickles"))
                } else {
                    Ok(false)
                };
            }
            // A frame is only a hint how much to read at once.
            0x95 => return self.stream.take(8).map(|_| false).map_err(Fault::from),
            b'(' => {
                heap::try_push(&mut self.marks, self.stack.len())?;
                return Ok(false);
            }
            0x94 => return self.remember(self.memo.len()),
            b'q' => {
                let at = self.number(1)?;
                return self.remember(at);
            }
            b'r' => {
                let at = self.number(4)?;
                return self.remember(at);
            }
            op @ (b'a' | b'e' | b's' | b'u') => return self.add(op).map(|()| false),
            b'h' => self.recall(1)?,
            b'j' => self.recall(4)?,
            0x8c => self.text(1)?,
            b'X' => self.text(4)?,
            0x8d => self.text(8)?,
            b'}' => self.objects.dict()?,
            b']' | b')' => self.objects.list(&[])?,
            op @ 0x85..=0x87 => self.tuple(self.stack.len().checked_sub(usize::from(op) - 0x84))?,
            b't' => {
                let from = self.marks.pop();
                self.tuple(from)?
            }
            b'K' => Value::Int(self.signed(1)?),
            b'M' => Value::Int(self.signed(2)?),
            b'J' => Value::Int(i64::from(i32::from_le_bytes(self.bytes()?))),
            0x8a => self.long()?,
            b'G' => Value::Float(f64::from_be_bytes(self.bytes()?)),
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            op => return Err(self.refuse(op)),
        };
        heap::try_push(&mut self.stack, value)?;
        Ok(false)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.stream.take(N)?);
        Ok(bytes)
    }

    /// The next `len` bytes, at most 8, as a number without a sign.
    fn unsigned(&mut self, len: usize) -> Result<u64, Fault> {
        let bytes = self.stream.take(len)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn signed(&mut self, len: usize) -> Result<i64, Fault> {
        self.unsigned(len).map(u64::cast_signed)
    }

    fn number(&mut self, len: usize) -> Result<usize, Fault> {
        usize::try_from(self.unsigned(len)?).map_err(|_| Fault::Bad("a number of the memo beyond all memory"))
    }

    /// A number of up to nine bytes: streams and addresses of 64 bits have a ninth for their sign.
    fn long(&mut self) -> Result<Value, Fault> {
        let len = usize::from(self.stream.byte()?);
        if len > 9 {
            return Err(Fault::Bad("a number of more than 64 bits"));
        }
        let bytes = self.stream.take(len)?;
        let is_negative = bytes.last().is_some_and(|&byte| byte & 0x80 != 0);
        let fill = if is_negative { u64::MAX } else { 0 };
        let low = &bytes[..len.min(8)];
        let number = low.iter().rev().fold(fill, |number, &byte| number << 8 | u64::from(byte));
        Ok(Value::Int(number.cast_signed()))
    }

    /// A text behind its length, which has `len` bytes.
    fn text(&mut self, len: usize) -> Result<Value, Fault> {
        let len = self.unsigned(len)?;
        let kept = len.min(LONGEST_TEXT);
        let text = self.stream.take(usize::try_from(kept).unwrap_or(usize::MAX))?;
        let value = self.objects.text(text)?;
        self.stream.skip(len - kept)?;
        Ok(value)
    }

    fn remember(&mut self, at: usize) -> Result<bool, Fault> {
        let top = *self.stack.last().ok_or(Fault::Bad("a value for the memo without a value"))?;
        if at > self.memo.len() + MEMO_GAP {
            return Err(Fault::Bad("a number of the memo far beyond the others"));
        }
        if at >= self.memo.len() {
            let more = at + 1 - self.memo.len();
            heap::try_grow(&mut self.memo, more)?;
            self.memo.resize(at + 1, Value::None);
        }
        self.memo[at] = top;
        Ok(false)
    }

    fn recall(&mut self, len: usize) -> Result<Value, Fault> {
        let at = self.number(len)?;
        self.memo.get(at).copied().ok_or(Fault::Bad("a value that the memo does not have"))
    }

    /// Makes a tuple of the values from index `from` of the stack on.
    fn tuple(&mut self, from: Option<usize>) -> Result<Value, Fault> {
        let from =
            from.filter(|&from| from <= self.stack.len()).ok_or(Fault::Bad("a tuple of too few values"))?;
        let value = self.objects.list(&self.stack[from..])?;
        self.stack.truncate(from);
        Ok(value)
    }

    /// Adds the values above the last mark, or the last one or two, to the list or dict below them.
    fn add(&mut self, op: u8) -> Result<(), Fault> {
        let from = match op {
            b'a' => self.stack.len().checked_sub(1),
            b's' => self.stack.len().checked_sub(2),
            _ => self.marks.pop(),
        };
        let from = from.filter(|&from| from <= self.stack.len() && from > 0);
        let from = from.ok_or(Fault::Bad("items without a list or dict"))?;
        let container = self.stack[from - 1];
        if matches!(op, b'a' | b'e') {
            self.objects.append(container, &self.stack[from..])?;
        } else {
            self.objects.set(container, &self.stack[from..])?;
        }
        self.stack.truncate(from);
        Ok(())
    }

    /// Why a pickle with this opcode is not read on.
    fn refuse(&mut self, op: u8) -> Fault {
        let name = match op {
            // A line with a module, and one with a name.
            b'c' | b'i' => {
                let bytes = self.stream.peek(LONGEST_NAME);
                let mut lines = bytes.split(|&byte| byte == b'\n');
                let (module, name) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
                Some([module, b".", name].concat())
            }
            0x93 => match self.stack.as_slice() {
                [.., Value::Text(module), Value::Text(name)] => {
                    Some([self.objects.texts.bytes(*module), b".", self.objects.texts.bytes(*name)].concat())
                }
                _ => Some(b"a name".to_vec()),
            },
            _ => None,
        };
        let calls = [b'R', b'b', b'o', 0x81, 0x92, 0x82, 0x83, 0x84, b'P', b'Q'];
        match name {
            Some(name) => Fault::Refused(format!("it names {}", SafeText::from_bytes(&name))),
            None if calls.contains(&op) => {
                Fault::Refused(format!("opcode {op:#04x} makes or calls an object"))
            }
            None => Fault::Bad("an opcode that memory snapshots do not have"),
        }
    }
}
