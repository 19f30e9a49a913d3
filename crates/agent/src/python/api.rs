//! Functions of Python's stable interface, found by name when the module is loaded: so the file needs no Python to be linked
//! or to be loaded into a process that has none.

#![allow(
    unsafe_code,
    reason = "Python's functions are C; their types are written down here and nowhere checked"
)]

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use std::ptr;
use std::sync::OnceLock;

/// A Python object, always by pointer.
#[repr(C)]
pub struct Object {
    _opaque: [u8; 0],
}

/// A reference to a Python object; null for an error that is set.
pub type Ref = *mut Object;

/// A function of a module.
#[repr(C)]
pub struct Method {
    /// Its name.
    pub name: *const c_char,
    /// What it calls.
    pub call: *const c_void,
    /// How.
    pub flags: c_int,
    /// Its help.
    pub doc: *const c_char,
}

/// What else a module has.
#[repr(C)]
pub struct Trait {
    /// Which.
    pub id: c_int,
    /// What.
    pub value: *mut c_void,
}

/// A module as it is described to Python. Its first five fields are Python's to fill.
#[repr(C)]
pub struct Definition {
    /// References, type, initialiser, index, copy.
    pub base: [*mut c_void; 5],
    /// Name.
    pub name: *const c_char,
    /// Help.
    pub doc: *const c_char,
    /// Bytes of state: none.
    pub size: isize,
    /// Functions, up to one without a name.
    pub methods: *const Method,
    /// Traits, up to number 0.
    pub traits: *const Trait,
    /// Visiting, clearing, freeing the state.
    pub state: [*const c_void; 3],
}

/// The functions that are used.
pub struct Api {
    /// None.
    pub none: Ref,
    /// The exception of a wrong argument.
    pub type_error: *mut Ref,
    /// Adds a reference. (Python knows which objects need none.)
    pub retain: unsafe extern "C" fn(Ref),
    /// Gives a reference back.
    pub release: unsafe extern "C" fn(Ref),
    /// The exception that is set, borrowed; null for none.
    pub error: unsafe extern "C" fn() -> Ref,
    /// Sets an exception.
    pub fail: unsafe extern "C" fn(Ref, *const c_char),
    /// A whole number's lowest bits; all of them with an exception.
    pub number: unsafe extern "C" fn(Ref) -> c_ulong,
    /// A whole number.
    pub from_number: unsafe extern "C" fn(c_long) -> Ref,
    /// A text of so many bytes of UTF-8.
    pub from_text: unsafe extern "C" fn(*const c_char, isize) -> Ref,
    /// A truth.
    pub from_truth: unsafe extern "C" fn(c_long) -> Ref,
    /// 1 for what counts as true, 0, or -1 with an exception.
    pub is_true: unsafe extern "C" fn(Ref) -> c_int,
    /// A text's bytes in an encoding, whatever it holds.
    pub encode: unsafe extern "C" fn(Ref, *const c_char, *const c_char) -> Ref,
    /// Where bytes stand and how many.
    pub bytes: unsafe extern "C" fn(Ref, *mut *mut c_char, *mut isize) -> c_int,
    /// A text of so many bytes, as the system has it in names of files.
    pub from_path: unsafe extern "C" fn(*const c_char, isize) -> Ref,
    /// Takes a module's definition.
    pub define: unsafe extern "C" fn(*mut Definition) -> Ref,
    /// Lets other threads of Python run; returns what this one takes it up with.
    pub leave: unsafe extern "C" fn() -> *mut c_void,
    /// Goes on, once no other thread runs.
    pub enter: unsafe extern "C" fn(*mut c_void),
    /// Python's version from 3.11 on; 0 before.
    pub version: u32,
}

// SAFETY: functions of the process, and places of objects that live as long as it.
unsafe impl Send for Api {}
// SAFETY: the same.
unsafe impl Sync for Api {}

static API: OnceLock<Option<Api>> = OnceLock::new();

/// The functions; none where this is not a Python that has them all.
#[inline]
pub fn api() -> Option<&'static Api> {
    API.get_or_init(find).as_ref()
}

#[cold]
fn find() -> Option<Api> {
    // A build without the global lock has objects of another shape.
    if !symbol(c"PyUnstable_Module_SetGIL").is_null() {
        return None;
    }
    let version = symbol(c"Py_Version").cast::<c_ulong>();
    // SAFETY: each name is that of a function or datum of the stable interface with exactly this type.
    unsafe {
        Some(Api {
            none: Some(symbol(c"_Py_NoneStruct")).filter(|at| !at.is_null())?.cast(),
            type_error: Some(symbol(c"PyExc_TypeError")).filter(|at| !at.is_null())?.cast(),
            retain: function(c"Py_IncRef")?,
            release: function(c"Py_DecRef")?,
            error: function(c"PyErr_Occurred")?,
            fail: function(c"PyErr_SetString")?,
            number: function(c"PyLong_AsUnsignedLongMask")?,
            from_number: function(c"PyLong_FromLong")?,
            from_text: function(c"PyUnicode_FromStringAndSize")?,
            from_truth: function(c"PyBool_FromLong")?,
            is_true: function(c"PyObject_IsTrue")?,
            encode: function(c"PyUnicode_AsEncodedString")?,
            bytes: function(c"PyBytes_AsStringAndSize")?,
            from_path: function(c"PyUnicode_DecodeFSDefaultAndSize")?,
            define: function(c"PyModuleDef_Init")?,
            leave: function(c"PyEval_SaveThread")?,
            enter: function(c"PyEval_RestoreThread")?,
            version: if version.is_null() { 0 } else { ptr::read(version) as u32 },
        })
    }
}

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// # Safety
/// `F` is the type of the function of this name.
unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let found = symbol(name);
    // SAFETY: a function pointer has the size of the pointer, and is not null.
    (!found.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}
