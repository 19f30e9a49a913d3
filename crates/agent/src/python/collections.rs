//! The garbage collections of Python, as ranges: a function that the interpreter calls before and after each
//! one.
//!
//! The interpreter has one list of callbacks, which programs know as `gc.callbacks`. The shim makes our
//! function the only entry of that list, and gives programs another list: ours calls the entries of that one,
//! in order, as the interpreter would. So programs see neither the function nor a frame of it.

#![allow(unsafe_code, reason = "has a function that Python calls with pointers to its objects")]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use proftui_wire::chunk::Tag;
use proftui_wire::kinds::GARBAGE_COLLECTION;

use super::api::{Method, Ref, api as module_api, function};
use super::binding::{FAST, ONE, One, call as run, method, wrong};
use super::hook::api::{HookApi, api as hook_api};
use crate::guard::shield;
use crate::process;
use crate::ranges;

/// How many generations of garbage collections the ranges distinguish.
const GENERATIONS: usize = 3;
/// The first version of Python that reports an exception of a callback with the text [`REPORT`]: 3.14.
const WORDED: u32 = 0x030e_0000;
const REPORT: &CStr = c"Exception ignored while calling GC callback %R";

/// The tags of the ranges of garbage collections, by generation; 0 before `collections` is first called.
static TAGS: [AtomicU32; GENERATIONS] = [const { AtomicU32::new(0) }; GENERATIONS];

thread_local! {
    /// True while this thread has begun the range of a garbage collection and not ended it.
    static IS_OPEN: Cell<bool> = const { Cell::new(false) };
}

/// A [`FAST`] function through which Python may unwind the stack, to end a thread.
type Callback = unsafe extern "C-unwind" fn(Ref, *const Ref, isize) -> Ref;

/// The functions of Python that only the recording of garbage collections needs.
struct Api {
    /// `PyCFunction_NewEx`: makes a callable from a function's description, its first argument, and a
    /// module's name or null.
    make_function: unsafe extern "C" fn(*const Method, Ref, Ref) -> Ref,
    /// `PyList_Size`: the length of a list; -1 with an exception set.
    len: unsafe extern "C" fn(Ref) -> isize,
    /// `PyList_GetItem`: the item at an index of a list, borrowed; null with an exception set.
    item: unsafe extern "C" fn(Ref, isize) -> Ref,
    /// `PyDict_GetItemString`: the value of a key in a dictionary, borrowed; null, without an exception, if
    /// the dictionary lacks the key.
    value: unsafe extern "C" fn(Ref, *const c_char) -> Ref,
    /// `PyErr_WriteUnraisable`: reports the exception that is set, with the object in which it was raised, by
    /// `sys.unraisablehook`, and clears it.
    report: unsafe extern "C-unwind" fn(Ref),
    /// `PyErr_FormatUnraisable`: as `PyErr_WriteUnraisable`, but with a formatted text; `None` before Python
    /// 3.14.
    report_worded: Option<unsafe extern "C-unwind" fn(*const c_char, ...)>,
}

fn api() -> Option<&'static Api> {
    static API: OnceLock<Option<Api>> = OnceLock::new();
    // SAFETY: each name is that of a function of Python with exactly this type.
    let find = || unsafe {
        let is_worded = module_api()?.version >= WORDED;
        Some(Api {
            make_function: function(c"PyCFunction_NewEx")?,
            len: function(c"PyList_Size")?,
            item: function(c"PyList_GetItem")?,
            value: function(c"PyDict_GetItemString")?,
            report: function(c"PyErr_WriteUnraisable")?,
            report_worded: if is_worded { function(c"PyErr_FormatUnraisable") } else { None },
        })
    };
    API.get_or_init(find).as_ref()
}

/// The description of the function `collections`, for the definition of the module `_proftui`.
pub(super) fn methods() -> [Method; 1] {
    [method(
        c"collections",
        collections as One as *const c_void,
        ONE,
        c"collections(callbacks) -> a callback of garbage collections: it records them, and calls those of \
            the list",
    )]
}

unsafe extern "C" fn collections(_: Ref, callbacks: Ref) -> Ref {
    static DESCRIPTION: OnceLock<Description> = OnceLock::new();
    run(|module| {
        let (Some(api), Some(_)) = (api(), hook_api()) else {
            return wrong(module, c"this Python has no function that is needed for this");
        };
        for (generation, tag) in TAGS.iter().enumerate() {
            let named = process::tag(GARBAGE_COLLECTION, &format!("gc: generation {generation}"));
            tag.store(named.0, Ordering::Relaxed);
        }
        let callback: Callback = callback;
        let described = DESCRIPTION.get_or_init(|| {
            Description(method(c"callback", callback as *const c_void, FAST, c"callback(phase, info)"))
        });
        // SAFETY: a description that is never freed, and an object.
        Some(unsafe { (api.make_function)(&raw const described.0, callbacks, ptr::null_mut()) })
    })
}

struct Description(Method);
// SAFETY: pointers to texts and a function of this library, which is never unloaded.
unsafe impl Send for Description {}
// SAFETY: the same.
unsafe impl Sync for Description {}

/// Called by Python before and after each garbage collection: begins or ends its range, if wanted, and calls
/// the program's `callbacks`.
unsafe extern "C-unwind" fn callback(callbacks: Ref, arguments: *const Ref, count: isize) -> Ref {
    let (Some(api), Some(hook)) = (api(), hook_api()) else { return ptr::null_mut() };
    // SAFETY: as Python passes them: objects that live as long as the call.
    unsafe {
        let is_whole = count == 2;
        let is_start = is_whole && (hook.compare)(*arguments, c"start".as_ptr()) == 0;
        if is_start && ranges::wanted().is_some() {
            let generation = generation(api, *arguments.add(1));
            shield((), || begins(generation));
        }
        pass_on(api, hook, callbacks, arguments, count as usize);
        if is_whole && !is_start && IS_OPEN.replace(false) {
            shield((), || ranges::end(0));
        }
        (hook.retain)(hook.none);
        hook.none
    }
}

fn begins(generation: usize) {
    ranges::begin(Tag(TAGS[generation.min(GENERATIONS - 1)].load(Ordering::Relaxed)));
    IS_OPEN.set(true);
}

/// The generation that the dictionary `info` states; the last one if it states none.
unsafe fn generation(api: &Api, info: Ref) -> usize {
    // SAFETY: a dictionary, whose value is borrowed.
    unsafe {
        let value = (api.value)(info, c"generation".as_ptr());
        let number = if value.is_null() { None } else { module_api().map(|module| (module.number)(value)) };
        number.map_or(GENERATIONS - 1, |number| number as usize)
    }
}

/// Calls the program's own callbacks in order, and reports the exceptions that they raise.
unsafe fn pass_on(api: &Api, hook: &HookApi, callbacks: Ref, arguments: *const Ref, count: usize) {
    let mut at = 0;
    // SAFETY: the list and its entries are objects, to which references are kept while they are called.
    unsafe {
        while at < (api.len)(callbacks) {
            let called = (api.item)(callbacks, at);
            (hook.retain)(called);
            let result = hook.vectorcall(called, arguments, count, ptr::null_mut());
            if !result.is_null() {
                (hook.release)(result);
            } else if let Some(report) = api.report_worded {
                report(REPORT.as_ptr(), called);
            } else {
                (api.report)(called);
            }
            (hook.release)(called);
            at += 1;
        }
    }
}
