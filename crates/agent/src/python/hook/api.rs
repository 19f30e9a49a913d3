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

/// `vectorcallfunc`: takes a callable, its arguments, the number of the positional ones, and a tuple with the
/// names of the others, or null.
pub(crate) type Vectorcall = unsafe extern "C-unwind" fn(Ref, *const Ref, usize, Ref) -> Ref;

/// `PY_VECTORCALL_ARGUMENTS_OFFSET`: the bit in the number of arguments by which the caller allows the called
/// function to change the word before the first argument.
const LENT: usize = 1 << (usize::BITS - 1);
/// `Py_TPFLAGS_HAVE_VECTORCALL`: calls of such a type's objects go to a function whose address is in the
/// object.
pub(crate) const HAS_VECTORCALL: c_ulong = 1 << 11;
/// Offset of `tp_vectorcall_offset` in `PyTypeObject`, in words of 64 bits.
const VECTORCALL_OFFSET: usize = 7;
/// Offset of `tp_flags` in `PyTypeObject`, in words of 64 bits.
const FLAGS: usize = 21;
/// Offset of `tp_weaklistoffset` in `PyTypeObject`, in words of 64 bits.
const WEAKREFS_OFFSET: usize = 26;

/// `PyType_Slot`: a property of a new type, by its number; the number 0 ends a table.
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

/// `PyMemberDef`: an attribute that is a field of the object; a `Member` without a name ends a table.
#[repr(C)]
pub(crate) struct Member {
    pub name: *const c_char,
    pub kind: c_int,
    pub offset: isize,
    pub flags: c_int,
    pub doc: *const c_char,
}

/// The functions and objects of Python's C API that hooks need.
pub(crate) struct HookApi {
    /// `PyType_FromSpec`: makes a type.
    pub make_type: unsafe extern "C" fn(*const Spec) -> Ref,
    /// `PyType_GenericAlloc`: makes an object of a type; all of its fields but the reference count and the
    /// type are zeros.
    pub allocate: unsafe extern "C" fn(Ref, isize) -> Ref,
    /// `PyObject_Free`: frees an object's memory.
    pub free: unsafe extern "C" fn(*mut c_void),
    /// `PyObject_ClearWeakRefs`: clears the weak references to an object that is about to be freed.
    pub clear_weak: unsafe extern "C-unwind" fn(Ref),
    /// `Py_IncRef`: adds a reference.
    pub retain: unsafe extern "C" fn(Ref),
    /// `Py_DecRef`: drops a reference. If it was the last, any code may run.
    pub release: unsafe extern "C-unwind" fn(Ref),
    /// `PyMethod_New`: makes a bound method of a callable and an object.
    pub bind: unsafe extern "C" fn(Ref, Ref) -> Ref,
    /// The address of `PyVectorcall_Call`, which calls an object by its [`Vectorcall`], with a tuple and a
    /// dictionary of arguments.
    pub call_by_tuple: *const c_void,
    /// `PyObject_Call`: calls an object with a tuple of arguments, and a dictionary of named ones or null.
    pub call: unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> Ref,
    /// `PyTuple_New`: makes a tuple of this length.
    pub tuple: unsafe extern "C" fn(isize) -> Ref,
    /// `PyTuple_SetItem`: stores an object at an index of a new tuple, and takes over its reference.
    pub set_item: unsafe extern "C" fn(Ref, isize, Ref) -> c_int,
    /// `PyTuple_GetItem`: returns the object at an index of a tuple, borrowed.
    pub item: unsafe extern "C" fn(Ref, isize) -> Ref,
    /// `PyTuple_Size`: the length of a tuple.
    pub len: unsafe extern "C" fn(Ref) -> isize,
    /// `PyDict_New`: makes an empty dictionary.
    pub dict: unsafe extern "C" fn() -> Ref,
    /// `PyDict_SetItem`: sets the value of a key, and adds references to both.
    pub set_key: unsafe extern "C" fn(Ref, Ref, Ref) -> c_int,
    /// `PyObject_GetAttr`: returns the attribute of an object that has this name.
    pub attribute: unsafe extern "C-unwind" fn(Ref, Ref) -> Ref,
    /// `PyObject_GetAttrString`: returns the attribute of an object, named by a C string.
    pub attribute_named: unsafe extern "C-unwind" fn(Ref, *const c_char) -> Ref,
    /// `PyObject_SetAttr`: sets an attribute of an object; null as the value deletes it. Returns 0, or -1
    /// with an exception set.
    pub set_attribute: unsafe extern "C-unwind" fn(Ref, Ref, Ref) -> c_int,
    /// `PyObject_GenericGetAttr`: returns an attribute by Python's default rules, without the type's
    /// `tp_getattro`.
    pub own_attribute: unsafe extern "C-unwind" fn(Ref, Ref) -> Ref,
    /// `PyObject_Repr`: returns the `repr` of an object.
    pub shown: unsafe extern "C-unwind" fn(Ref) -> Ref,
    /// `PyUnicode_CompareWithASCIIString`: compares a string with an ASCII text; 0 if they are equal.
    pub compare: unsafe extern "C" fn(Ref, *const c_char) -> c_int,
    /// `PyErr_Fetch`: stores the type, value and traceback of the exception that is set, and clears it; three
    /// nulls if none is set.
    pub take_error: unsafe extern "C" fn(*mut Ref, *mut Ref, *mut Ref),
    /// `PyErr_Restore`: sets an exception by its type, value and traceback, and takes over their references.
    pub raise: unsafe extern "C" fn(Ref, Ref, Ref),
    /// `PyErr_NormalizeException`: makes the value that `PyErr_Fetch` stored an instance of the exception's
    /// type.
    pub make_error: unsafe extern "C-unwind" fn(*mut Ref, *mut Ref, *mut Ref),
    /// `PyErr_GivenExceptionMatches`: 1 if an exception, or its type, matches the type that is given second,
    /// else 0.
    pub is_of: unsafe extern "C" fn(Ref, Ref) -> c_int,
    /// `PyErr_Clear`: clears the exception that is set.
    pub forgive: unsafe extern "C" fn(),
    /// The address of `PyExc_Exception`, the variable that points at the class `Exception`.
    pub exception: *mut Ref,
    /// `Py_None`, borrowed.
    pub none: Ref,
    /// `Py_True`, borrowed.
    pub yes: Ref,
    /// `Py_False`, borrowed.
    pub no: Ref,
    /// `PyFunction_Type`, the type of Python functions.
    pub function_type: Ref,
    /// `PyObject_Vectorcall`: calls an object with an array of arguments; `None` if Python exports no such
    /// function, as before 3.11.
    vectorcall: Option<Vectorcall>,
}

// SAFETY: functions of the process, and addresses of objects that live as long as the process.
unsafe impl Send for HookApi {}
// SAFETY: the same.
unsafe impl Sync for HookApi {}

static API: OnceLock<Option<HookApi>> = OnceLock::new();

/// The functions and objects of Python's C API that hooks need, looked up in the first call; `None` if hooks
/// cannot be made with this Python.
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

/// The type of an object, borrowed.
pub(crate) fn type_of(object: Ref) -> Ref {
    // SAFETY: each object begins with its count of references and the address of its type.
    unsafe { *object.cast::<c_void>().cast::<Ref>().add(1) }
}

impl HookApi {
    /// Calls `called` with `count` positional arguments and then named ones, as `PyObject_Vectorcall` does;
    /// null with an exception set.
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

    /// Calls an object that has no [`Vectorcall`], by a tuple and a dictionary of arguments; null with an
    /// exception set.
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

    /// Stores the offsets of the [`Vectorcall`] and of the list of weak references in a new type, if this
    /// Python has not done so itself.
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
