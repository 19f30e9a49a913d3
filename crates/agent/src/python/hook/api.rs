//! Functions of Python's C API that hooks need, and the layout of the types that are made with them. Must not
//! know what a hook does.
//!
//! Before Python 3.11 `PyObject_Vectorcall` is no function of the library, so its work is done here, by the
//! layout of `PyTypeObject` in those versions.

#![allow(unsafe_code, reason = "calls C functions of Python, and reads fields of its types")]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::super::api::{Ref, function, symbol};

/// `vectorcallfunc`: takes what is called, its arguments, their number, and the names of those that are given
/// by name, or null.
///
/// Python ends threads of its own by unwinding their stacks, so these functions let that pass.
pub(crate) type Vectorcall = unsafe extern "C-unwind" fn(Ref, *const Ref, usize, Ref) -> Ref;

/// The bit of the number of arguments that says that the caller lends the word before the first one.
const LENT: usize = 1 << (usize::BITS - 1);
/// `Py_TPFLAGS_HAVE_VECTORCALL`: calls of such a type's objects go to a function whose address is in the
/// object.
pub(crate) const HAS_VECTORCALL: c_ulong = 1 << 11;
/// Offsets of `tp_vectorcall_offset`, `tp_flags` and `tp_weaklistoffset` in `PyTypeObject`, in words of 64
/// bits.
const VECTORCALL_OFFSET: usize = 7;
const FLAGS: usize = 21;
const WEAKREFS_OFFSET: usize = 26;

/// `PyType_Slot`: a part of a new type, by number; 0 ends a table.
#[repr(C)]
pub(crate) struct Slot {
    pub id: c_int,
    pub value: *const c_void,
}

/// `PyType_Spec`: the description of a new type.
#[repr(C)]
pub(crate) struct Spec {
    pub name: *const c_char,
    pub size: c_int,
    pub item_size: c_int,
    pub flags: c_uint,
    pub slots: *const Slot,
}

/// `PyMemberDef`: an attribute that is a field of the object; one without a name ends a table.
#[repr(C)]
pub(crate) struct Member {
    pub name: *const c_char,
    pub kind: c_int,
    pub offset: isize,
    pub flags: c_int,
    pub doc: *const c_char,
}

/// The functions and objects of Python that hooks use, beside those of the module.
pub(crate) struct HookApi {
    /// `PyType_FromSpec`: makes a type.
    pub make_type: unsafe extern "C" fn(*const Spec) -> Ref,
    /// `PyType_GenericAlloc`: makes an object of a type, of zeros.
    pub allocate: unsafe extern "C" fn(Ref, isize) -> Ref,
    /// `PyObject_Free`: frees an object's memory.
    pub free: unsafe extern "C" fn(*mut c_void),
    /// `PyObject_ClearWeakRefs`: clears the weak references to an object that is about to be freed.
    pub clear_weak: unsafe extern "C-unwind" fn(Ref),
    /// `Py_IncRef`.
    pub retain: unsafe extern "C" fn(Ref),
    /// `Py_DecRef`, which may run any code.
    pub release: unsafe extern "C-unwind" fn(Ref),
    /// `PyMethod_New`: binds a callable to an object.
    pub bind: unsafe extern "C" fn(Ref, Ref) -> Ref,
    /// `PyVectorcall_Call`: calls by the object's [`Vectorcall`], with a tuple and a dictionary.
    pub call_by_tuple: *const c_void,
    /// `PyObject_Call`: calls with a tuple and a dictionary.
    pub call: unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> Ref,
    /// `PyTuple_New`, `PyTuple_SetItem`, `PyTuple_GetItem`, `PyDict_New`, `PyDict_SetItem`.
    pub tuple: unsafe extern "C" fn(isize) -> Ref,
    pub set_item: unsafe extern "C" fn(Ref, isize, Ref) -> c_int,
    pub item: unsafe extern "C" fn(Ref, isize) -> Ref,
    pub len: unsafe extern "C" fn(Ref) -> isize,
    pub dict: unsafe extern "C" fn() -> Ref,
    pub set_key: unsafe extern "C" fn(Ref, Ref, Ref) -> c_int,
    /// `PyObject_GetAttr`, `PyObject_GetAttrString`, `PyObject_SetAttr`, `PyObject_GenericGetAttr`,
    /// `PyObject_Repr`.
    pub attribute: unsafe extern "C-unwind" fn(Ref, Ref) -> Ref,
    pub attribute_named: unsafe extern "C-unwind" fn(Ref, *const c_char) -> Ref,
    pub set_attribute: unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> c_int,
    pub own_attribute: unsafe extern "C-unwind" fn(Ref, Ref) -> Ref,
    pub shown: unsafe extern "C-unwind" fn(Ref) -> Ref,
    /// `PyUnicode_CompareWithASCIIString`: 0 for an equal text.
    pub compare: unsafe extern "C" fn(Ref, *const c_char) -> c_int,
    /// `PyErr_Fetch`, `PyErr_Restore`, `PyErr_NormalizeException`: take the exception, as type, value and
    /// traceback; set it; make its value.
    pub take_error: unsafe extern "C" fn(*mut Ref, *mut Ref, *mut Ref),
    pub raise: unsafe extern "C" fn(Ref, Ref, Ref),
    pub make_error: unsafe extern "C-unwind" fn(*mut Ref, *mut Ref, *mut Ref),
    /// `PyErr_GivenExceptionMatches`: 1 if the first one is of the second type.
    pub is_of: unsafe extern "C" fn(Ref, Ref) -> c_int,
    /// `PyErr_Clear`.
    pub forgive: unsafe extern "C" fn(),
    /// `PyExc_Exception`, `PyFunction_Type`, `Py_None`, `Py_True`, `Py_False`.
    pub exception: *mut Ref,
    pub none: Ref,
    pub yes: Ref,
    pub no: Ref,
    pub function_type: Ref,
    /// `PyObject_Vectorcall`, where the library has it.
    vectorcall: Option<Vectorcall>,
}

// SAFETY: functions of the process, and addresses of objects that live as long as the process.
unsafe impl Send for HookApi {}
// SAFETY: the same.
unsafe impl Sync for HookApi {}

static API: OnceLock<Option<HookApi>> = OnceLock::new();

/// The functions and objects of Python's C interface, looked up in the first call; `None` if this Python
/// lacks one (`PyObject_Vectorcall` alone may be missing), or is a build that traces references.
#[inline]
pub(crate) fn api() -> Option<&'static HookApi> {
    API.get_or_init(find).as_ref()
}

#[cold]
fn find() -> Option<HookApi> {
    let there = |at: *mut c_void| Some(at).filter(|at| !at.is_null());
    // SAFETY: each name is that of a function or datum of the stable interface with exactly this type.
    let found = unsafe {
        HookApi {
            make_type: function(c"PyType_FromSpec")?,
            allocate: function(c"PyType_GenericAlloc")?,
            free: function(c"PyObject_Free")?,
            clear_weak: function(c"PyObject_ClearWeakRefs")?,
            retain: function(c"Py_IncRef")?,
            release: function(c"Py_DecRef")?,
            bind: function(c"PyMethod_New")?,
            call_by_tuple: there(symbol(c"PyVectorcall_Call"))?,
            call: function(c"PyObject_Call")?,
            tuple: function(c"PyTuple_New")?,
            set_item: function(c"PyTuple_SetItem")?,
            item: function(c"PyTuple_GetItem")?,
            len: function(c"PyTuple_Size")?,
            dict: function(c"PyDict_New")?,
            set_key: function(c"PyDict_SetItem")?,
            attribute: function(c"PyObject_GetAttr")?,
            attribute_named: function(c"PyObject_GetAttrString")?,
            set_attribute: function(c"PyObject_SetAttr")?,
            own_attribute: function(c"PyObject_GenericGetAttr")?,
            shown: function(c"PyObject_Repr")?,
            compare: function(c"PyUnicode_CompareWithASCIIString")?,
            take_error: function(c"PyErr_Fetch")?,
            raise: function(c"PyErr_Restore")?,
            make_error: function(c"PyErr_NormalizeException")?,
            is_of: function(c"PyErr_GivenExceptionMatches")?,
            forgive: function(c"PyErr_Clear")?,
            exception: there(symbol(c"PyExc_Exception"))?.cast(),
            none: there(symbol(c"_Py_NoneStruct"))?.cast(),
            yes: there(symbol(c"_Py_TrueStruct"))?.cast(),
            no: there(symbol(c"_Py_FalseStruct"))?.cast(),
            function_type: there(symbol(c"PyFunction_Type"))?.cast(),
            vectorcall: function(c"PyObject_Vectorcall"),
        }
    };
    // Builds of Python that trace references have objects with longer heads.
    (type_of(found.function_type) == symbol(c"PyType_Type").cast()).then_some(found)
}

/// The type of an object.
pub(crate) fn type_of(object: Ref) -> Ref {
    // SAFETY: each object begins with its count of references and the address of its type.
    unsafe { *object.cast::<c_void>().cast::<Ref>().add(1) }
}

impl HookApi {
    /// Calls an object; null with an exception set.
    ///
    /// # Safety
    /// As for `PyObject_Vectorcall`.
    #[inline]
    pub(crate) unsafe fn vectorcall(
        &self,
        called: Ref,
        arguments: *const Ref,
        count: usize,
        names: Ref,
    ) -> Ref {
        if let Some(vectorcall) = self.vectorcall {
            // SAFETY: the caller's promise.
            return unsafe { vectorcall(called, arguments, count, names) };
        }
        let kind = type_of(called).cast::<c_void>().cast::<usize>();
        // SAFETY: the fields of a type before Python 3.11; with this flag, the object has a function at the
        // offset.
        unsafe {
            if *kind.add(FLAGS) as c_ulong & HAS_VECTORCALL != 0 {
                let at = called.cast::<c_void>().byte_add(*kind.add(VECTORCALL_OFFSET));
                if let Some(vectorcall) = ptr::read(at.cast::<Option<Vectorcall>>()) {
                    return vectorcall(called, arguments, count, names);
                }
            }
            self.slow_call(called, arguments, count & !LENT, names)
        }
    }

    /// Calls an object that takes a tuple and a dictionary.
    #[cold]
    unsafe fn slow_call(&self, called: Ref, arguments: *const Ref, count: usize, names: Ref) -> Ref {
        // SAFETY: `arguments` has `count` objects, and then those that are given by name. A new reference to
        // each goes into the tuple.
        unsafe {
            let all = (self.tuple)(count as isize);
            if all.is_null() {
                return ptr::null_mut();
            }
            for at in 0..count {
                (self.retain)(*arguments.add(at));
                (self.set_item)(all, at as isize, *arguments.add(at));
            }
            let mut named: Ref = ptr::null_mut();
            if !names.is_null() {
                named = (self.dict)();
                for at in 0..(self.len)(names) {
                    (self.set_key)(named, (self.item)(names, at), *arguments.add(count + at as usize));
                }
            }
            let result = (self.call)(called, all, named);
            (self.release)(all);
            if !named.is_null() {
                (self.release)(named);
            }
            result
        }
    }

    /// Completes a type made by Python 3.8, which does not know the members by which later versions take
    /// these offsets.
    ///
    /// # Safety
    /// `kind` is a new type, whose objects have a [`Vectorcall`] and a list of weak references at these
    /// offsets.
    pub(crate) unsafe fn complete(&self, kind: Ref, vectorcall: usize, weakrefs: usize) {
        let fields = kind.cast::<c_void>().cast::<usize>();
        // SAFETY: fields of a type, in every version that has no offset there.
        unsafe {
            if self.vectorcall.is_none() && *fields.add(VECTORCALL_OFFSET) == 0 {
                *fields.add(VECTORCALL_OFFSET) = vectorcall;
                *fields.add(WEAKREFS_OFFSET) = weakrefs;
            }
        }
    }
}
