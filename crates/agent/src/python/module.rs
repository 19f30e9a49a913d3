//! The functions of the extension module `_proftui`: they convert arguments from Python and results to
//! Python, and nothing else.

#![allow(unsafe_code, reason = "has functions that Python calls with pointers to its objects")]

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use proftui_wire::chunk::Tag;
use proftui_wire::device::Reason;
use proftui_wire::log::NoteKind;
use proftui_wire::secrets;

use super::api::{Api, Definition, Method, Ref, Trait, api};
use super::binding::{
    FAST, Fast, NONE, ONE, One, aside, call, list, method, none, number, text, text_of, truth, whole, wrong,
};
use super::{collections, control, count, functions, hook};
use crate::cuda;
use crate::guard::{self, shield};
use crate::lifecycle;
use crate::live;
use crate::process;
use crate::ranges;

/// `Py_mod_multiple_interpreters` and `Py_MOD_PER_INTERPRETER_GIL_SUPPORTED`: interpreters with a GIL of
/// their own may import the module.
const INTERPRETERS: (c_int, usize) = (3, 2);
/// The first version of Python that knows the property [`INTERPRETERS`]: 3.12.
const SINCE: u32 = 0x030c_0000;

/// The entry point of the extension module: returns its definition, or null if this Python is not supported.
/// Also keeps panics of the recorder from being printed.
///
/// # Safety
/// To be called by Python alone, which imports the module.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn PyInit__proftui() -> Ref {
    shield(ptr::null_mut(), || {
        guard::silence();
        let Some(api) = api() else { return ptr::null_mut() };
        // SAFETY: the definition lives as long as the process.
        unsafe { (api.define)(definition(api)) }
    })
}

/// The definition of the module `_proftui`, made in the first call; Python changes it and keeps a pointer to
/// it.
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
            method(c"end_numbered", end_numbered as One as *const c_void, ONE, c"end_numbered(number)"),
            method(
                c"record",
                record as Fast as *const c_void,
                FAST,
                c"record(tag, start, cycle): a range from `start` until now, if `cycle` is still recorded",
            ),
            method(c"state", state as One as *const c_void, NONE, c"state() -> state"),
            method(c"note", note as Fast as *const c_void, FAST, c"note(kind, text)"),
            method(
                c"command_line",
                command_line as One as *const c_void,
                ONE,
                c"command_line(arguments, a zero byte between them) -> one text, with secrets hidden",
            ),
            method(c"thread", thread as One as *const c_void, ONE, c"thread(text)"),
            method(c"name_process", name_process as One as *const c_void, ONE, c"name_process(text)"),
            method(
                c"ends_own_steps",
                ends_own_steps as One as *const c_void,
                ONE,
                c"ends_own_steps(is_other_rank) -> bool",
            ),
            method(c"libraries", libraries as One as *const c_void, ONE, c"libraries(folders)"),
            method(
                c"stand_aside",
                stand_aside as One as *const c_void,
                ONE,
                c"stand_aside(profiler) -> path of CUPTI or None: the script makes a profiler of the GPU",
            ),
            method(
                c"leave_gpu",
                leave_gpu as One as *const c_void,
                ONE,
                c"leave_gpu(profiler): another profiler is about to take CUPTI, and records no kernels",
            ),
            method(
                c"is_subscribed",
                is_subscribed as One as *const c_void,
                NONE,
                c"is_subscribed() -> true if the agent holds CUPTI",
            ),
            method(c"cycle", cycle as One as *const c_void, NONE, c"cycle() -> number"),
            method(c"folder", folder as One as *const c_void, NONE, c"folder() -> path"),
            method(
                c"add_file",
                add_file as Fast as *const c_void,
                FAST,
                c"add_file(name, bytes, events) -> True if the file is now one of a ring",
            ),
            method(
                c"announce",
                announce as One as *const c_void,
                ONE,
                c"announce(tag): the program begins this range",
            ),
            method(
                c"was_reported",
                was_reported as One as *const c_void,
                NONE,
                c"was_reported() -> true if a library reported the announced range",
            ),
            method(c"close", close as One as *const c_void, NONE, c"close()"),
        ]
        .into_iter()
        .chain(count::methods())
        .chain(control::methods())
        .chain(hook::methods())
        .chain(collections::methods())
        .chain(functions::methods())
        .chain([last])
        .collect();
        let mut traits = vec![Trait { id: 0, value: ptr::null_mut() }];
        if api.version >= SINCE {
            let (id, value) = INTERPRETERS;
            traits.insert(0, Trait { id, value: ptr::without_provenance_mut(value) });
        }
        Kept(Box::into_raw(Box::new(Definition {
            // One reference, which is never dropped.
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

unsafe extern "C" fn open(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    // SAFETY: what Python passes.
    call(|api| match unsafe { list(arguments, count) } {
        [] => Some(truth(api, lifecycle::open(false))),
        // SAFETY: an argument is an object.
        &[is_child] => match unsafe { (api.is_true)(is_child) } {
            -1 => None,
            word => Some(truth(api, lifecycle::open(word != 0))),
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
        ranges::end(0);
        Some(none(api))
    })
}

unsafe extern "C" fn end_numbered(_: Ref, of_range: Ref) -> Ref {
    call(|api| {
        ranges::end(number(api, of_range)? as u32);
        Some(none(api))
    })
}

unsafe extern "C" fn record(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[tag, start, cycle] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"record(tag, start, cycle)");
        };
        ranges::record(Tag(number(api, tag)? as u32), number(api, start)?, number(api, cycle)?);
        Some(none(api))
    })
}

unsafe extern "C" fn state(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, live::state())))
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

unsafe extern "C" fn command_line(_: Ref, arguments: Ref) -> Ref {
    call(|api| {
        let arguments: Vec<String> = text_of(api, arguments)?.split('\0').map(str::to_owned).collect();
        Some(text(api, &secrets::hide(&arguments).join(" ")))
    })
}

unsafe extern "C" fn thread(_: Ref, name: Ref) -> Ref {
    call(|api| {
        process::name_thread(&text_of(api, name)?);
        Some(none(api))
    })
}

unsafe extern "C" fn name_process(_: Ref, name: Ref) -> Ref {
    call(|api| {
        process::name_process(&text_of(api, name)?);
        Some(none(api))
    })
}

unsafe extern "C" fn ends_own_steps(_: Ref, is_other_rank: Ref) -> Ref {
    // SAFETY: an argument is an object.
    call(|api| match unsafe { (api.is_true)(is_other_rank) } {
        -1 => None,
        word => Some(truth(api, process::ends_own_steps(word != 0))),
    })
}

unsafe extern "C" fn cycle(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, live::cycle())))
}

unsafe extern "C" fn folder(_: Ref, _: Ref) -> Ref {
    call(|api| {
        let Some(path) = process::folder() else { return Some(none(api)) };
        let bytes = path.as_os_str().as_encoded_bytes();
        // SAFETY: the address and length of the path's bytes, which are copied; for invalid text Python sets
        // an exception.
        Some(unsafe { (api.from_path)(bytes.as_ptr().cast(), bytes.len() as isize) })
    })
}

unsafe extern "C" fn add_file(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[name, bytes, events] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"add_file(name, bytes, events)");
        };
        let (name, bytes, events) = (text_of(api, name)?, number(api, bytes)?, number(api, events)?);
        Some(truth(api, process::add_file(&name, bytes, events)))
    })
}

unsafe extern "C" fn announce(_: Ref, tag: Ref) -> Ref {
    call(|api| {
        ranges::announce(Tag(number(api, tag)? as u32));
        Some(none(api))
    })
}

unsafe extern "C" fn was_reported(_: Ref, _: Ref) -> Ref {
    call(|api| Some(truth(api, ranges::take_reported())))
}

unsafe extern "C" fn close(_: Ref, _: Ref) -> Ref {
    call(|api| {
        aside(api, lifecycle::close);
        Some(none(api))
    })
}

unsafe extern "C" fn stand_aside(_: Ref, profiler: Ref) -> Ref {
    call(|api| {
        let profiler = text_of(api, profiler)?;
        aside(api, || cuda::stand_aside(Reason::ScriptProfiler, &profiler));
        Some(cuda::left().and_then(Path::to_str).map_or_else(|| none(api), |path| text(api, path)))
    })
}

unsafe extern "C" fn leave_gpu(_: Ref, profiler: Ref) -> Ref {
    call(|api| {
        let profiler = text_of(api, profiler)?;
        aside(api, || cuda::stand_aside(Reason::OtherSubscriber, &profiler));
        Some(none(api))
    })
}

unsafe extern "C" fn is_subscribed(_: Ref, _: Ref) -> Ref {
    call(|api| Some(truth(api, cuda::is_subscribed())))
}

unsafe extern "C" fn libraries(_: Ref, folders: Ref) -> Ref {
    call(|api| {
        cuda::folders(&text_of(api, folders)?);
        Some(none(api))
    })
}
