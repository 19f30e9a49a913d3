//! The calls of Python functions, as ranges: functions that the interpreter itself calls when a function
//! begins, goes on, pauses or ends. The shim decides which functions are recorded.
//!
//! From Python 3.12 on they are callbacks of `sys.monitoring`; before, `profile` is the profile function of
//! each thread, instead of that of `sys.setprofile`. None of them has a frame: no handler of a signal
//! runs in it, and it takes nothing of the recursion limit.

#![allow(unsafe_code, reason = "has functions that Python calls with pointers to its objects")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use proftui_wire::chunk::Tag;

use super::api::{Method, Object, Ref, api as module_api, function};
use super::binding::{FAST, Fast, ONE, One, call, list, method, none, number, text, wrong};
use super::hook::api::{HookApi, api};
use crate::guard::shield;
use crate::live;
use crate::lock::Lock;
use crate::ranges::{self, FUNCTIONS};

/// A [`FAST`] function through which Python may unwind the stack, to end a thread.
type Callback = unsafe extern "C-unwind" fn(Ref, *const Ref, isize) -> Ref;

/// `PyEval_SetProfile`: sets a thread's profile function, and the object that it gets; null for none.
type SetProfile = unsafe extern "C" fn(unsafe extern "C-unwind" fn(Ref, Ref, c_int, Ref) -> c_int, Ref);

/// `PyTrace_CALL` and `PyTrace_RETURN`: the events of a profile function where a function of Python begins or
/// goes on, and where it ends or pauses.
const CALL: c_int = 0;
const RETURN: c_int = 3;

/// The tag that stands for code whose calls are not recorded.
const NOT_RECORDED: u32 = 0;

/// The tags of code objects, by address: what the shim has decided so far.
static TAGS: Lock<HashMap<usize, u32, BuildHasherDefault<Address>>> =
    Lock::new(HashMap::with_hasher(BuildHasherDefault::new()));
/// The shim's function that decides about new code; null before there is one. It has a reference for good.
static LOOK: AtomicPtr<Object> = AtomicPtr::new(ptr::null_mut());

/// Hashes addresses of objects, whose lowest bits are all the same.
#[derive(Default)]
struct Address(u64);

impl Hasher for Address {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The functions that a thread records: it began them, and they have not ended.
struct Open {
    /// The cycle in which they began.
    cycle: u64,
    /// Their tags, outermost first.
    tags: Vec<u32>,
}

thread_local! {
    static OPEN: RefCell<Open> = const { RefCell::new(Open { cycle: 0, tags: Vec::new() }) };
}

/// The descriptions of these functions, for the definition of the module `_proftui`.
pub(super) fn methods() -> [Method; 7] {
    let callback = |name, call: Callback, doc| method(name, call as *const c_void, FAST, doc);
    [
        method(
            c"watch_functions",
            watch_functions as One as *const c_void,
            ONE,
            c"watch_functions(look): `look(code)` is called where new code begins, and its result returned",
        ),
        method(
            c"choose_function",
            choose_function as Fast as *const c_void,
            FAST,
            c"choose_function(code, tag): calls are recorded with this tag; with 0, they are not",
        ),
        method(
            c"forget_function",
            forget_function as One as *const c_void,
            ONE,
            c"forget_function(address): the code object at this address, its id, is freed",
        ),
        callback(c"function_begins", function_begins, c"function_begins(code, offset)"),
        callback(c"function_goes_on", function_goes_on, c"function_goes_on(code, offset[, exception])"),
        callback(c"function_ends", function_ends, c"function_ends(code, offset, result)"),
        method(
            c"profile_thread",
            profile_thread as Fast as *const c_void,
            FAST,
            c"profile_thread(*ignored): before Python 3.12, has Python report this thread's calls",
        ),
    ]
}

unsafe extern "C" fn watch_functions(_: Ref, look: Ref) -> Ref {
    call(|module| {
        if api().is_none() {
            return wrong(module, c"this Python has no function that is needed for this");
        }
        // SAFETY: an argument is an object.
        unsafe { (module.retain)(look) };
        LOOK.store(look, Ordering::Release);
        Some(none(module))
    })
}

unsafe extern "C" fn choose_function(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|module| {
        // SAFETY: what Python passes.
        let &[code, tag] = (unsafe { list(arguments, count) }) else {
            return wrong(module, c"choose_function(code, tag)");
        };
        let tag = number(module, tag)? as u32;
        if let Some(mut tags) = TAGS.take() {
            tags.insert(code.addr(), tag);
        }
        Some(none(module))
    })
}

unsafe extern "C" fn forget_function(_: Ref, address: Ref) -> Ref {
    call(|module| {
        let address = number(module, address)? as usize;
        if let Some(mut tags) = TAGS.take() {
            tags.remove(&address);
        }
        Some(none(module))
    })
}

unsafe extern "C-unwind" fn function_begins(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    // SAFETY: as Python passes them: objects that live as long as the call.
    unsafe {
        match list(arguments, count) {
            &[code, ..] => begins(code),
            [] => nothing(),
        }
    }
}

unsafe extern "C-unwind" fn function_goes_on(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    // SAFETY: as for `function_begins`.
    if let &[code, ..] = unsafe { list(arguments, count) } {
        shield((), || tag_of(code).into_iter().for_each(opens));
    }
    nothing()
}

unsafe extern "C-unwind" fn function_ends(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    // SAFETY: as for `function_begins`.
    if let &[code, ..] = unsafe { list(arguments, count) } {
        shield((), || ends(code));
    }
    nothing()
}

unsafe extern "C" fn profile_thread(_: Ref, _: *const Ref, _: isize) -> Ref {
    call(|module| {
        // SAFETY: the function of this name has this type.
        let Some(set) = (unsafe { function::<SetProfile>(c"PyEval_SetProfile") }) else {
            return wrong(module, c"this Python has no function that is needed for this");
        };
        // SAFETY: a function of this library, which is never unloaded, and no object.
        unsafe { set(profile, ptr::null_mut()) };
        Some(none(module))
    })
}

/// Called by Python before 3.12 for each event of a thread, with its frame and the event's number; returns
/// -1 with an exception set that is the program's.
unsafe extern "C-unwind" fn profile(_: Ref, frame: Ref, event: c_int, _: Ref) -> c_int {
    let Some(api) = api().filter(|_| matches!(event, CALL | RETURN)) else { return 0 };
    // SAFETY: objects that live as long as the call; the code does, as there is a reference to it.
    unsafe {
        let code = code_of(api, frame);
        if code.is_null() {
            (api.forgive)();
            return 0;
        }
        let mut status = 0;
        if event == RETURN {
            shield((), || ends(code));
        } else {
            let result = begins(code);
            if result.is_null() {
                status = -1;
            } else {
                (api.release)(result);
            }
        }
        (api.release)(code);
        status
    }
}

/// The code of a frame, as a new reference; null with an exception set.
unsafe fn code_of(api: &HookApi, frame: Ref) -> Ref {
    static NAME: OnceLock<usize> = OnceLock::new();
    // One string for all calls, by which Python finds the attribute in its cache.
    let name =
        NAME.get_or_init(|| module_api().map_or(0, |module| text(module, "f_code").expose_provenance()));
    if *name == 0 {
        return ptr::null_mut();
    }
    // SAFETY: an object, and a string that is never freed.
    unsafe { (api.attribute)(frame, ptr::with_exposed_provenance_mut(*name)) }
}

/// Code begins to run: has the shim look at it if it is new, and begins its range if it is recorded. Returns
/// the result of the shim's function; null with an exception set that is the program's, such as of a signal.
unsafe fn begins(code: Ref) -> Ref {
    let decided = shield(Some(NOT_RECORDED), || tag_of(code));
    // SAFETY: the caller's promise: the code is an object.
    let result = if decided.is_none() { unsafe { look(code) } } else { nothing() };
    shield((), || decided.or_else(|| tag_of(code)).into_iter().for_each(opens));
    result
}

/// Calls the shim's function that decides about new code. Exceptions are dropped, unless they are none of
/// class `Exception`, by which programs end.
#[cold]
unsafe fn look(code: Ref) -> Ref {
    let look = LOOK.load(Ordering::Acquire);
    let Some(api) = api().filter(|_| !look.is_null()) else { return nothing() };
    let (mut kind, mut value, mut traceback) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: both are objects; the exception's parts are released, or given back.
    unsafe {
        let result = api.vectorcall(look, &raw const code, 1, ptr::null_mut());
        if !result.is_null() {
            return result;
        }
        (api.take_error)(&raw mut kind, &raw mut value, &raw mut traceback);
        if (api.is_of)(kind, *api.exception) == 0 {
            (api.raise)(kind, value, traceback);
            return ptr::null_mut();
        }
        for part in [kind, value, traceback].into_iter().filter(|part| !part.is_null()) {
            (api.release)(part);
        }
    }
    nothing()
}

/// Python's `None`, as a new reference.
fn nothing() -> Ref {
    module_api().map_or(ptr::null_mut(), none)
}

/// What was decided about code: its tag, or [`NOT_RECORDED`]; `None` for new code.
#[inline]
fn tag_of(code: Ref) -> Option<u32> {
    TAGS.take()?.get(&code.addr()).copied()
}

/// Begins the range of a function with this tag, if a cycle is open.
#[inline]
fn opens(tag: u32) {
    let cycle = live::cycle();
    if tag == NOT_RECORDED || cycle == 0 {
        return;
    }
    with_open(|open| {
        if open.cycle != cycle {
            open.cycle = cycle;
            open.tags.clear();
        }
        open.tags.push(tag);
        ranges::push(cycle, FUNCTIONS, Tag(tag));
    });
}

/// Ends the range of a function, if it began in the open cycle, and of those within it whose end was not
/// reported, as where the program had a profile function of its own in between.
#[inline]
fn ends(code: Ref) {
    let Some(tag) = tag_of(code).filter(|&tag| tag != NOT_RECORDED) else { return };
    let cycle = live::cycle();
    with_open(|open| {
        if open.cycle != cycle {
            // Hands in what the thread has of the cycle before.
            ranges::pop(FUNCTIONS);
        } else if let Some(at) = open.tags.iter().rposition(|&begun| begun == tag) {
            open.tags.drain(at..).for_each(|_| ranges::pop(FUNCTIONS));
        }
    });
}

/// Calls `body` with the thread's functions, unless these are in use or destroyed.
#[inline]
fn with_open(body: impl FnOnce(&mut Open)) {
    let _ = OPEN.try_with(|open| open.try_borrow_mut().map(|mut open| body(&mut open)));
}
