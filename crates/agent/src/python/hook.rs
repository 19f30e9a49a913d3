//! Hooks: callables that stand for a function of a framework or script, and call a function of ours before it
//! and one after it.
//!
//! A hook is no Python function, so it has no frame: it is in no traceback, and takes nothing of the
//! recursion limit. In all else it passes for the function: it has its attributes (a change of one changes
//! the function's), its `repr` and class, binds as it does, and is pickled and copied as it is. Only
//! `__wrapped__` shows it.
//!
//! `before` gets the call's arguments. If it returns None, the function is just called. Else `after` is
//! called, also if the function raised, with what `before` returned, whether the function returned, and what
//! it returned or the class of what it raised. An `Exception` in either is passed to `failed`. A hook with a
//! phase (a bit) just calls the function while the thread is in a call of a hook with the same phase.
//!
//! - `call`: the call. `api`: what it needs of Python.

#![allow(unsafe_code, reason = "makes a type of Python, whose functions get pointers to its objects")]

pub(super) mod api;
mod call;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::OnceLock;

use super::api::{Api, Method, Ref};
use super::binding::{FAST, Fast, NONE, ONE, One, call as run, list, method, none, number, wrong};
use api::{HAS_VECTORCALL, HookApi, Member, Slot, Spec, api, type_of};
use call::{Hook, fields};

/// The two Python types of hooks: `function` for Python functions and for hooks of these, `other` for other
/// callables.
#[derive(Clone, Copy)]
struct Kinds {
    function: Ref,
    other: Ref,
}

// SAFETY: types that are never freed.
unsafe impl Send for Kinds {}
// SAFETY: the same.
unsafe impl Sync for Kinds {}

/// `Py_TPFLAGS_HAVE_VERSION_TAG`, one of the default flags of types in older versions of Python.
const USUAL: c_uint = 1 << 18;
/// `Py_TPFLAGS_METHOD_DESCRIPTOR`: Python may call objects of the type as methods without making bound
/// methods.
const METHOD: c_uint = 1 << 17;
/// `READONLY`: programs cannot set the member.
const READ_ONLY: c_int = 1;
/// `T_OBJECT_EX`: the member is an object.
const OBJECT: c_int = 16;
/// `T_PYSSIZET`: the member is a `Py_ssize_t`.
const SIZE: c_int = 19;
/// The name of both types of hooks.
const NAME: *const c_char = c"_proftui.hook".as_ptr();
/// The attributes that every hook has itself, instead of those of the callable that it stands for.
const OWN: [&CStr; 3] = [c"__wrapped__", c"__call__", c"__get__"];
/// Further attributes that a hook of a Python function has itself: they pickle the hook by the function's
/// name.
const OF_FUNCTIONS: [&CStr; 2] = [c"__reduce_ex__", c"__reduce__"];

/// The descriptions of `hook` and `leave_phases`, for the definition of the module `_proftui`.
pub(super) fn methods() -> [Method; 2] {
    [
        method(
            c"hook",
            hook as Fast as *const c_void,
            FAST,
            c"hook(function, before, after, phase, failed) -> a callable that stands for the function",
        ),
        method(c"leave_phases", leave_phases as One as *const c_void, NONE, c"leave_phases()"),
    ]
}

unsafe extern "C" fn hook(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    run(|module| {
        const USAGE: &CStr = c"hook(function, before, after, phase, failed)";
        // SAFETY: what Python passes.
        let &[function, before, after, phase, failed] = (unsafe { list(arguments, count) }) else {
            return wrong(module, USAGE);
        };
        let phase = number(module, phase)? as u32;
        let (Some(api), Some(kinds)) = (api(), kinds()) else {
            return wrong(module, c"this Python has no function that a hook needs");
        };
        let kind = type_of(function);
        let is_function = kind == api.function_type || kind == kinds.function;
        let kind = if is_function { kinds.function } else { kinds.other };
        // SAFETY: arguments are objects.
        Some(unsafe { make(api, kind, [function, before, after, failed], phase) })
    })
}

unsafe extern "C" fn leave_phases(_: Ref, _: Ref) -> Ref {
    run(|module| {
        call::leave_phases();
        Some(none(module))
    })
}

/// Makes a hook of the type `kind` from the function, `before`, `after` and `failed`; null, with an exception
/// set, if there is no memory.
unsafe fn make(api: &HookApi, kind: Ref, parts: [Ref; 4], phase: u32) -> Ref {
    // SAFETY: a new object of one of our types, of zeros but for its head.
    unsafe {
        let made = (api.allocate)(kind, 0);
        if !made.is_null() {
            parts.into_iter().for_each(|part| (api.retain)(part));
            let [function, before, after, failed] = parts;
            let to = fields(made);
            let head = (*to).head;
            to.write(Hook {
                head,
                call: Some(call::call),
                weak: ptr::null_mut(),
                function,
                before,
                after,
                failed,
                phase,
            });
        }
        made
    }
}

/// The two types of hooks, made in the first call; `None` if that has failed.
fn kinds() -> Option<Kinds> {
    static KINDS: OnceLock<Option<Kinds>> = OnceLock::new();
    *KINDS.get_or_init(|| Some(Kinds { function: kind(METHOD)?, other: kind(0)? }))
}

fn kind(flags: c_uint) -> Option<Ref> {
    let api = api()?;
    let member = |name: &CStr, kind, offset| Member {
        name: name.as_ptr(),
        kind,
        offset: offset as isize,
        flags: READ_ONLY,
        doc: ptr::null(),
    };
    let no_member = Member { name: ptr::null(), kind: 0, offset: 0, flags: 0, doc: ptr::null() };
    let members = Box::leak(Box::new([
        member(c"__wrapped__", OBJECT, offset_of!(Hook, function)),
        member(c"__vectorcalloffset__", SIZE, offset_of!(Hook, call)),
        member(c"__weaklistoffset__", SIZE, offset_of!(Hook, weak)),
        no_member,
    ]));
    let methods = Box::leak(Box::new([
        method(OF_FUNCTIONS[0], reduce as One as *const c_void, ONE, c"Pickled by its name."),
        method(OF_FUNCTIONS[1], reduce as One as *const c_void, NONE, c"Pickled by its name."),
        Method { name: ptr::null(), call: ptr::null(), flags: 0, doc: ptr::null() },
    ]));
    // The numbers of `typeslots.h`.
    let slots = [
        Slot { id: 50, value: api.call_by_tuple },
        Slot { id: 52, value: free as unsafe extern "C-unwind" fn(Ref) as *const c_void },
        Slot { id: 54, value: bind as unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> Ref as *const c_void },
        Slot { id: 58, value: attribute as unsafe extern "C-unwind" fn(Ref, Ref) -> Ref as *const c_void },
        Slot { id: 64, value: methods.as_ptr().cast() },
        Slot { id: 65, value: refuse as unsafe extern "C" fn(Ref, Ref, Ref) -> Ref as *const c_void },
        Slot { id: 66, value: shown as unsafe extern "C-unwind" fn(Ref) -> Ref as *const c_void },
        Slot {
            id: 69,
            value: set_attribute as unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> c_int as *const c_void,
        },
        Slot { id: 72, value: members.as_ptr().cast() },
        Slot { id: 0, value: ptr::null() },
    ];
    let size = size_of::<Hook>() as c_int;
    let flags = USUAL | HAS_VECTORCALL as c_uint | flags;
    let spec = Spec { name: NAME, size, item_size: 0, flags, slots: slots.as_ptr() };
    // SAFETY: Python copies the description; members and methods are never freed.
    unsafe {
        let kind = (api.make_type)(&raw const spec);
        if kind.is_null() {
            (api.forgive)();
            return None;
        }
        api.complete(kind, offset_of!(Hook, call), offset_of!(Hook, weak));
        Some(kind)
    }
}

/// `tp_dealloc`: frees a hook, and drops the references that it holds.
unsafe extern "C-unwind" fn free(hook: Ref) {
    let Some(api) = api() else { return };
    // SAFETY: Python's last reference to it is gone.
    unsafe {
        if !(*fields(hook)).weak.is_null() {
            (api.clear_weak)(hook);
        }
        let Hook { function, before, after, failed, .. } = *fields(hook);
        let kind = type_of(hook);
        (api.free)(hook.cast());
        [function, before, after, failed, kind].into_iter().for_each(|part| (api.release)(part));
    }
}

/// `tp_new`: raises `TypeError`, so programs cannot make hooks by calling the type.
unsafe extern "C" fn refuse(_: Ref, _: Ref, _: Ref) -> Ref {
    run(|module: &Api| wrong(module, c"cannot create '_proftui.hook' instances"))
}

/// `tp_descr_get`: returns the hook as an attribute of `owner`: a bound method, a hook of the bound callable,
/// or the hook itself.
unsafe extern "C-unwind" fn bind(hook: Ref, owner: Ref, kind: Ref) -> Ref {
    let (Some(api), Some(kinds)) = (api(), kinds()) else { return ptr::null_mut() };
    // SAFETY: objects that Python passes; `owner` and `kind` may be null.
    unsafe {
        let itself = || {
            (api.retain)(hook);
            hook
        };
        if owner.is_null() || owner == api.none {
            return itself();
        }
        if type_of(hook) == kinds.function {
            return (api.bind)(hook, owner);
        }
        let Hook { function, before, after, failed, phase, .. } = *fields(hook);
        let get = (api.attribute_named)(function, c"__get__".as_ptr());
        if get.is_null() {
            (api.forgive)();
            return itself();
        }
        let arguments = [owner, if kind.is_null() { api.none } else { kind }];
        let bound = api.vectorcall(get, arguments.as_ptr(), arguments.len(), ptr::null_mut());
        (api.release)(get);
        if bound.is_null() {
            return bound;
        }
        let made = make(api, kinds.other, [bound, before, after, failed], phase);
        (api.release)(bound);
        made
    }
}

/// `tp_getattro`: returns an attribute of the callable that the hook stands for, or one of the few that the
/// hook has itself.
unsafe extern "C-unwind" fn attribute(hook: Ref, name: Ref) -> Ref {
    let (Some(api), Some(kinds)) = (api(), kinds()) else { return ptr::null_mut() };
    // SAFETY: objects that Python passes.
    unsafe {
        let is_one = |of: &[&CStr]| of.iter().any(|own| (api.compare)(name, own.as_ptr()) == 0);
        if is_one(&OWN) || type_of(hook) == kinds.function && is_one(&OF_FUNCTIONS) {
            return (api.own_attribute)(hook, name);
        }
        (api.attribute)((*fields(hook)).function, name)
    }
}

/// `tp_setattro`: sets an attribute of the callable that the hook stands for; a null `value` deletes it.
/// Returns 0, or -1 with an exception set.
unsafe extern "C-unwind" fn set_attribute(hook: Ref, name: Ref, value: Ref) -> c_int {
    let Some(api) = api() else { return -1 };
    // SAFETY: objects that Python passes.
    unsafe { (api.set_attribute)((*fields(hook)).function, name, value) }
}

/// `tp_repr`: returns the `repr` of the callable that the hook stands for.
unsafe extern "C-unwind" fn shown(hook: Ref) -> Ref {
    let Some(api) = api() else { return ptr::null_mut() };
    // SAFETY: an object that Python passes.
    unsafe { (api.shown)((*fields(hook)).function) }
}

/// `__reduce__` and `__reduce_ex__`: returns the function's `__qualname__`, by which Python functions are
/// pickled.
unsafe extern "C" fn reduce(hook: Ref, _: Ref) -> Ref {
    run(|_| {
        let name = c"__qualname__".as_ptr();
        // SAFETY: an object that Python passes.
        Some(unsafe { (api()?.attribute_named)((*fields(hook)).function, name) })
    })
}
