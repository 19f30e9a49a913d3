//! Functions of Python's stable C API, looked up by name in the process when they are first needed: the
//! library needs no Python to be linked, nor to be loaded into a process that has none.

#![allow(
    unsafe_code,
    reason = "calls C functions of Python, whose types are declared here and not checked by the compiler"
)]

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use std::ptr;
use std::sync::OnceLock;

/// A Python object (`PyObject`), which is only used by pointer.
#[repr(C)]
pub(super) struct Object {
    _opaque: [u8; 0],
}

/// A pointer to a Python object (`PyObject *`), which may be null.
pub(super) type Ref = *mut Object;

/// `PyMethodDef`: the description of a function of a module.
#[repr(C)]
pub(super) struct Method {
    /// The function's name, which ends with a zero byte; null in the last entry of a table.
    pub name: *const c_char,
    /// The C function that Python calls; null in the last entry of a table.
    pub call: *const c_void,
    /// How the function takes arguments: a `METH_` flag.
    pub flags: c_int,
    /// The function's docstring.
    pub doc: *const c_char,
}

/// `PyModuleDef_Slot`: a property of a module, by its number.
#[repr(C)]
pub(super) struct Trait {
    /// The property's number; 0 ends a table.
    pub id: c_int,
    /// The property's value.
    pub value: *mut c_void,
}

/// `PyModuleDef`: the description of a module. Python fills in `base`.
#[repr(C)]
pub(super) struct Definition {
    /// `PyModuleDef_Base`: reference count, type, initialiser, index, copy.
    pub base: [*mut c_void; 5],
    /// The module's name.
    pub name: *const c_char,
    /// The module's docstring.
    pub doc: *const c_char,
    /// Bytes of state that Python allocates per module: 0.
    pub size: isize,
    /// The module's functions, up to an entry without a name.
    pub methods: *const Method,
    /// The module's further properties, up to one with number 0.
    pub traits: *const Trait,
    /// The functions that visit, clear and free the module's state: three null pointers, since it has no
    /// state.
    pub state: [*const c_void; 3],
}

/// The functions and objects of Python's C API that most of the extension module uses.
pub(super) struct Api {
    /// `Py_None`, borrowed.
    pub none: Ref,
    /// The address of `PyExc_TypeError`, the variable that points at the class `TypeError`.
    pub type_error: *mut Ref,
    /// `Py_IncRef`: adds a reference.
    pub retain: unsafe extern "C" fn(Ref),
    /// `Py_DecRef`: drops a reference.
    pub release: unsafe extern "C" fn(Ref),
    /// `PyErr_Occurred`: returns the type of the exception that is set, borrowed; null for none.
    pub error: unsafe extern "C" fn() -> Ref,
    /// `PyErr_SetString`: sets an exception of this type with this message.
    pub set_error: unsafe extern "C" fn(Ref, *const c_char),
    /// `PyLong_AsUnsignedLongMask`: returns the lowest 64 bits of an integer; all bits 1, with an exception
    /// set, if that fails.
    pub number: unsafe extern "C" fn(Ref) -> c_ulong,
    /// `PyLong_FromLong`: makes an integer.
    pub from_number: unsafe extern "C" fn(c_long) -> Ref,
    /// `PyUnicode_FromStringAndSize`: makes a string from UTF-8 text, given by its address and its length in
    /// bytes.
    pub from_text: unsafe extern "C" fn(*const c_char, isize) -> Ref,
    /// `PyBool_FromLong`: returns `False` for 0 and `True` for any other number, as a new reference.
    pub from_truth: unsafe extern "C" fn(c_long) -> Ref,
    /// `PyObject_IsTrue`: returns 1 for a true object, 0 for a false one, and -1 with an exception set.
    pub is_true: unsafe extern "C" fn(Ref) -> c_int,
    /// `PyUnicode_AsEncodedString`: encodes a string as a bytes object; takes the names of an encoding and of
    /// an error handler.
    pub encode: unsafe extern "C" fn(Ref, *const c_char, *const c_char) -> Ref,
    /// `PyBytes_AsStringAndSize`: stores the address and the number of a bytes object's bytes; returns 0, or
    /// -1 with an exception set.
    pub bytes: unsafe extern "C" fn(Ref, *mut *mut c_char, *mut isize) -> c_int,
    /// `PyUnicode_DecodeFSDefaultAndSize`: makes a string from a path, given by its address and its length in
    /// bytes.
    pub from_path: unsafe extern "C" fn(*const c_char, isize) -> Ref,
    /// `PyModuleDef_Init`: returns a module's definition as an object.
    pub define: unsafe extern "C" fn(*mut Definition) -> Ref,
    /// `PyEval_SaveThread`: releases the GIL; returns the thread state with which to take the GIL again.
    pub release_gil: unsafe extern "C" fn() -> *mut c_void,
    /// `PyEval_RestoreThread`: takes the GIL again, with the thread state that releasing it returned.
    pub take_gil: unsafe extern "C" fn(*mut c_void),
    /// The value of `Py_Version`, such as 0x030c04f0 for 3.12.4; 0 before Python 3.11.
    pub version: u32,
}

// SAFETY: functions of the process, and addresses of objects that live as long as the process.
unsafe impl Send for Api {}
// SAFETY: the same.
unsafe impl Sync for Api {}

static API: OnceLock<Option<Api>> = OnceLock::new();

/// Python's functions and objects, looked up in the first call; `None` without a supported Python.
#[inline]
pub(super) fn api() -> Option<&'static Api> {
    API.get_or_init(find).as_ref()
}

#[cold]
fn find() -> Option<Api> {
    // A build without the GIL lays out its objects differently.
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
            set_error: function(c"PyErr_SetString")?,
            number: function(c"PyLong_AsUnsignedLongMask")?,
            from_number: function(c"PyLong_FromLong")?,
            from_text: function(c"PyUnicode_FromStringAndSize")?,
            from_truth: function(c"PyBool_FromLong")?,
            is_true: function(c"PyObject_IsTrue")?,
            encode: function(c"PyUnicode_AsEncodedString")?,
            bytes: function(c"PyBytes_AsStringAndSize")?,
            from_path: function(c"PyUnicode_DecodeFSDefaultAndSize")?,
            define: function(c"PyModuleDef_Init")?,
            release_gil: function(c"PyEval_SaveThread")?,
            take_gil: function(c"PyEval_RestoreThread")?,
            version: if version.is_null() { 0 } else { ptr::read(version) as u32 },
        })
    }
}

/// The address of the symbol `name` in the process; null if there is no such symbol.
pub(super) fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// The address of the function `name` in the process, as a function pointer of type `F`; `None` if there is
/// no such function.
///
/// # Safety
/// `F` is the type of the function of this name.
pub(super) unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let found = symbol(name);
    // SAFETY: a function pointer has the size of the pointer, and is not null.
    (!found.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}
