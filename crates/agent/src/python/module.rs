//! The functions of the extension module `_proftui`: they convert arguments from Python and results to Python, and nothing else.

#![allow(unsafe_code, reason = "these functions are called by Python, with pointers to its objects")]

use std::ffi::{CStr, c_int, c_long, c_void};
use std::ptr;
use std::slice;
use std::sync::OnceLock;

use proftui_wire::chunk::Tag;
use proftui_wire::log::NoteKind;

use super::api::{Api, Definition, Method, Ref, Trait, api};
use super::control;
use crate::cuda;
use crate::guard::{self, shield};
use crate::process;
use crate::ranges;

/// `METH_FASTCALL`: the function takes an array of arguments.
pub(super) const FAST: c_int = 0x80;
/// `METH_NOARGS`: the function takes no argument.
pub(super) const NONE: c_int = 0x4;
/// `METH_O`: the function takes one argument.
pub(super) const ONE: c_int = 0x8;
/// `Py_mod_multiple_interpreters` with `Py_MOD_PER_INTERPRETER_GIL_SUPPORTED`: each interpreter of the process may import the module,
/// with a GIL of its own.
const INTERPRETERS: (c_int, usize) = (3, 2);
/// The first version of Python that knows `INTERPRETERS`: 3.12.
const SINCE: u32 = 0x030c_0000;

/// The entry point of the extension module: returns its definition, or null without an exception where this Python is not supported.
///
/// # Safety
/// Called by Python, as it does for an extension module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PyInit__proftui() -> Ref {
    shield(ptr::null_mut(), || {
        guard::silence();
        let Some(api) = api() else { return ptr::null_mut() };
        // SAFETY: the definition lives as long as the process.
        unsafe { (api.define)(definition(api)) }
    })
}

/// The module's definition, made once; Python changes and keeps it.
fn definition(api: &Api) -> *mut Definition {
    struct Kept(*mut Definition);
    // SAFETY: given to Python alone.
    unsafe impl Send for Kept {}
    // SAFETY: the same.
    unsafe impl Sync for Kept {}
    static KEPT: OnceLock<Kept> = OnceLock::new();
    let make = || {
        let last = Method { name: ptr::null(), call: ptr::null(), flags: 0, doc: ptr::null() };
        let methods: Vec<Method> = [
            method(c"open", open as Fast as *const c_void, FAST, c"open(is_child) -> bool"),
            method(c"name", name as Fast as *const c_void, FAST, c"name(kind, text) -> tag"),
            method(c"begin", begin as One as *const c_void, ONE, c"begin(tag)"),
            method(c"end", end as One as *const c_void, NONE, c"end()"),
            method(c"step", step as One as *const c_void, ONE, c"step(samples) -> state"),
            method(c"state", state as One as *const c_void, NONE, c"state() -> state"),
            method(c"note", note as Fast as *const c_void, FAST, c"note(kind, text)"),
            method(c"thread", thread as One as *const c_void, ONE, c"thread(text)"),
            method(c"libraries", libraries as One as *const c_void, ONE, c"libraries(folders)"),
            method(c"pause_step", pause_step as Fast as *const c_void, FAST, c"pause_step(is_step)"),
            method(c"resume_step", resume_step as One as *const c_void, NONE, c"resume_step()"),
            method(c"cycle", cycle as One as *const c_void, NONE, c"cycle() -> number"),
            method(c"folder", folder as One as *const c_void, NONE, c"folder() -> path"),
            method(
                c"reported",
                reported as One as *const c_void,
                NONE,
                c"reported() -> ranges that libraries reported on this thread",
            ),
            method(
                c"expect_own",
                expect_own as One as *const c_void,
                NONE,
                c"expect_own() -> reported(); the next one is the program's own",
            ),
            method(c"close", close as One as *const c_void, NONE, c"close()"),
        ]
        .into_iter()
        .chain(control::methods())
        .chain([last])
        .collect();
        let mut traits = vec![Trait { id: 0, value: ptr::null_mut() }];
        if api.version >= SINCE {
            let (id, value) = INTERPRETERS;
            traits.insert(0, Trait { id, value: ptr::without_provenance_mut(value) });
        }
        Kept(Box::into_raw(Box::new(Definition {
            // One reference: nobody frees it.
            base: [ptr::without_provenance_mut(1), NULL, NULL, NULL, NULL],
            name: c"_proftui".as_ptr(),
            doc: c"Records ranges and steps for proftui.".as_ptr(),
            size: 0,
            methods: methods.leak().as_ptr(),
            traits: traits.leak().as_ptr(),
            state: [ptr::null(); 3],
        })))
    };
    KEPT.get_or_init(make).0
}

const NULL: *mut c_void = ptr::null_mut();

/// A function that is called with an array of arguments and its length.
pub(super) type Fast = unsafe extern "C" fn(Ref, *const Ref, isize) -> Ref;
/// A function that is called with one argument, or with null for none.
pub(super) type One = unsafe extern "C" fn(Ref, Ref) -> Ref;

/// Describes a function of the module to Python; `doc` is its help.
pub(super) fn method(name: &'static CStr, call: *const c_void, flags: c_int, doc: &'static CStr) -> Method {
    Method { name: name.as_ptr(), call, flags, doc: doc.as_ptr() }
}

unsafe extern "C" fn open(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    // SAFETY: what Python passes.
    call(|api| match unsafe { list(arguments, count) } {
        [] => Some(truth(api, process::open(false))),
        // SAFETY: an argument is an object.
        &[is_child] => match unsafe { (api.is_true)(is_child) } {
            -1 => None,
            word => Some(truth(api, process::open(word != 0))),
        },
        _ => wrong(api, c"open(is_child)"),
    })
}

unsafe extern "C" fn name(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[kind, text] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"name(kind, text)");
        };
        let (kind, text) = (number(api, kind)?, text_of(api, text)?);
        Some(whole(api, u64::from(process::tag(kind as u8, &text).0)))
    })
}

unsafe extern "C" fn begin(_: Ref, tag: Ref) -> Ref {
    call(|api| {
        ranges::begin(Tag(number(api, tag)? as u32));
        Some(none(api))
    })
}

unsafe extern "C" fn end(_: Ref, _: Ref) -> Ref {
    call(|api| {
        ranges::end();
        Some(none(api))
    })
}

unsafe extern "C" fn step(_: Ref, samples: Ref) -> Ref {
    call(|api| {
        let samples = number(api, samples)?;
        Some(whole(api, aside(api, || process::step(samples, None))))
    })
}

unsafe extern "C" fn state(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, process::state())))
}

unsafe extern "C" fn note(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[kind, text] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"note(kind, text)");
        };
        let (kind, text) = (number(api, kind)?, text_of(api, text)?);
        process::note(NoteKind::of(kind).unwrap_or(NoteKind::Warning), &text);
        Some(none(api))
    })
}

unsafe extern "C" fn thread(_: Ref, text: Ref) -> Ref {
    call(|api| {
        process::name_thread(&text_of(api, text)?);
        Some(none(api))
    })
}

unsafe extern "C" fn pause_step(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let is_step = match unsafe { list(arguments, count) } {
            [] => true,
            // SAFETY: an argument is an object.
            &[is_step] => match unsafe { (api.is_true)(is_step) } {
                -1 => return None,
                word => word != 0,
            },
            _ => return wrong(api, c"pause_step(is_step)"),
        };
        aside(api, || process::pause_step(is_step));
        Some(none(api))
    })
}

unsafe extern "C" fn resume_step(_: Ref, _: Ref) -> Ref {
    call(|api| {
        process::resume_step();
        Some(none(api))
    })
}

unsafe extern "C" fn cycle(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, process::cycle())))
}

unsafe extern "C" fn folder(_: Ref, _: Ref) -> Ref {
    call(|api| {
        let Some(path) = process::folder() else { return Some(none(api)) };
        let bytes = path.as_os_str().as_encoded_bytes();
        // SAFETY: so many bytes, which are copied; an error is set where they are no text.
        Some(unsafe { (api.from_path)(bytes.as_ptr().cast(), bytes.len() as isize) })
    })
}

unsafe extern "C" fn reported(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, u64::from(ranges::reported()))))
}

unsafe extern "C" fn expect_own(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, u64::from(ranges::expect_own()))))
}

unsafe extern "C" fn close(_: Ref, _: Ref) -> Ref {
    call(|api| {
        aside(api, process::close);
        Some(none(api))
    })
}

unsafe extern "C" fn libraries(_: Ref, folders: Ref) -> Ref {
    call(|api| {
        cuda::folders(&text_of(api, folders)?);
        Some(none(api))
    })
}

/// Calls what may wait for a device, with the GIL released where devices are recorded: the device may itself wait for another
/// thread of Python.
pub(super) fn aside<R>(api: &Api, body: impl FnOnce() -> R) -> R {
    struct Released<'a>(&'a Api, *mut c_void);
    impl Drop for Released<'_> {
        fn drop(&mut self) {
            // SAFETY: the thread state that was returned by releasing, on the same thread.
            unsafe { (self.0.take_gil)(self.1) };
        }
    }
    // SAFETY: called by Python, on a thread that runs; nothing of Python is touched until it goes on.
    let _released = process::device::is_there().then(|| Released(api, unsafe { (api.release_gil)() }));
    body()
}

/// Runs the body of a function of the module. The body returns none where it has set an exception; after a panic the function returns
/// Python's `None`.
#[inline]
pub(super) fn call(body: impl FnOnce(&'static Api) -> Option<Ref>) -> Ref {
    let Some(api) = api() else { return ptr::null_mut() };
    match shield(None, || Some(body(api))) {
        Some(value) => value.unwrap_or(ptr::null_mut()),
        None => none(api),
    }
}

/// Python's `None`, as a new reference.
#[inline]
pub(super) fn none(api: &Api) -> Ref {
    // SAFETY: None is an object.
    unsafe { (api.retain)(api.none) };
    api.none
}

/// Makes a Python integer.
pub(super) fn whole(api: &Api, number: u64) -> Ref {
    // SAFETY: it takes any number.
    unsafe { (api.from_number)(number as c_long) }
}

/// Makes a Python `bool`.
pub(super) fn truth(api: &Api, is_true: bool) -> Ref {
    // SAFETY: it takes any number.
    unsafe { (api.from_truth)(c_long::from(is_true)) }
}

/// Converts a Python integer; none, with an exception set, for any other object.
#[inline]
pub(super) fn number(api: &Api, object: Ref) -> Option<u64> {
    // SAFETY: an argument is an object.
    let number = unsafe { (api.number)(object) };
    // SAFETY: looks whether an exception is set.
    if number == u64::MAX && !unsafe { (api.error)() }.is_null() {
        return None;
    }
    Some(number)
}

/// Makes a Python string.
pub(super) fn text(api: &Api, text: &str) -> Ref {
    // SAFETY: so many bytes of UTF-8, which are copied.
    unsafe { (api.from_text)(text.as_ptr().cast(), text.len() as isize) }
}

/// Converts a Python string; none, with an exception set, for any other object. Lone surrogates are escaped by backslashes.
pub(super) fn text_of(api: &Api, object: Ref) -> Option<String> {
    // SAFETY: an argument is an object; the bytes are looked at before they are given back.
    unsafe {
        let encoded = (api.encode)(object, c"utf-8".as_ptr(), c"backslashreplace".as_ptr());
        if encoded.is_null() {
            return None;
        }
        let (mut start, mut len) = (ptr::null_mut(), 0);
        let is_read = (api.bytes)(encoded, &raw mut start, &raw mut len) == 0;
        let text = is_read.then(|| {
            String::from_utf8_lossy(slice::from_raw_parts(start.cast::<u8>(), len as usize)).into_owned()
        });
        (api.release)(encoded);
        text
    }
}

/// Sets a `TypeError` that shows how the function is called.
pub(super) fn wrong(api: &Api, usage: &CStr) -> Option<Ref> {
    // SAFETY: the exception is an object that Python keeps; the text is copied.
    unsafe { (api.set_error)(*api.type_error, usage.as_ptr()) };
    None
}

/// The array of arguments of a `FAST` function.
///
/// # Safety
/// `arguments` points at `count` objects, as Python passes them.
pub(super) unsafe fn list<'a>(arguments: *const Ref, count: isize) -> &'a [Ref] {
    if arguments.is_null() || count <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(arguments, count as usize) }
}
