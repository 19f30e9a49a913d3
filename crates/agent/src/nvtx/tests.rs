//! Tables and texts as clients of several versions have them; ranges are tested with a real client
//! (`tests/nvtx.rs`).

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Mutex;

use super::tables::{Callbacks, Export, Tables};
use super::texts::{Attributes, Message, Text, Wide};
use super::{InitializeInjectionNvtx2, calls, domains};

const SLOTS: usize = 17;

/// A client: its pointers to functions, their addresses (the tables), and the lengths that it states for its
/// tables, by module.
struct Client {
    functions: [[usize; SLOTS]; 6],
    tables: [[usize; SLOTS]; 6],
    lengths: [u32; 6],
}

/// The client under test.
static CLIENT: Mutex<Option<Client>> = Mutex::new(None);

unsafe extern "C" fn find(module: u32, table: *mut *mut *mut *const c_void, count: *mut c_uint) -> c_int {
    let mut client = CLIENT.lock().expect("no test failed");
    let client = client.as_mut().expect("a client");
    let at = module as usize;
    if client.lengths[at] == 0 {
        return 0;
    }
    // SAFETY: variables of the tool's.
    unsafe {
        *table = client.tables[at].as_mut_ptr().cast();
        *count = client.lengths[at];
    }
    1
}

unsafe extern "C" fn export(number: u32) -> *const c_void {
    static CALLBACKS: Callbacks = Callbacks { size: size_of::<Callbacks>(), find: Some(find) };
    if number == 1 { (&raw const CALLBACKS).cast() } else { ptr::null() }
}

unsafe extern "C" fn short(_: u32) -> *const c_void {
    static CALLBACKS: Callbacks = Callbacks { size: size_of::<Callbacks>() - 1, find: Some(find) };
    (&raw const CALLBACKS).cast()
}

unsafe extern "C" fn empty(_: u32) -> *const c_void {
    ptr::null()
}

/// Fills the tables of a client that states these lengths for them, by module (0: no such module); returns
/// the slots that were filled, by module.
fn filled(lengths: [u32; 6]) -> Vec<(usize, Vec<usize>)> {
    let client = Client { functions: [[0; SLOTS]; 6], tables: [[0; SLOTS]; 6], lengths };
    {
        let mut kept = CLIENT.lock().expect("no test failed");
        let client = kept.insert(client);
        for (functions, tables) in client.functions.iter_mut().zip(&mut client.tables) {
            // The first is none, as in NVTX.
            for (function, pointer) in functions.iter_mut().zip(tables).skip(1) {
                *pointer = ptr::from_mut(function).expose_provenance();
            }
        }
    }
    // SAFETY: a client's.
    unsafe { Tables::of(export) }.expect("tables").fill();
    let client = CLIENT.lock().expect("no test failed").take().expect("a client");
    let slots = |module: &[usize; SLOTS]| (0..SLOTS).filter(|&at| module[at] != 0).collect::<Vec<_>>();
    let modules = client.functions.iter().enumerate().map(|(at, module)| (at, slots(module)));
    modules.filter(|(_, slots)| !slots.is_empty()).collect()
}

#[test]
fn each_table_is_filled_as_far_as_it_goes() {
    let core: Vec<usize> = (1..12).chain([14, 15]).collect();
    let domains = vec![1, 2, 3, 4, 5, 10, 11, 12, 13];
    let all = vec![(1, core.clone()), (2, (3..7).collect()), (4, vec![3, 4]), (5, domains.clone())];
    assert_eq!(filled([0, 16, 9, 0, 7, 16]), all, "as NVTX 3 has them");
    assert_eq!(filled([17; 6]), all, "a newer one has more");
    assert_eq!(filled([0, 10, 0, 0, 4, 0]), [(1, (1..10).collect()), (4, vec![3])], "an older one less");
    assert_eq!(filled([0, 1, 1, 1, 1, 1]), []);
    assert_eq!(calls::MODULES.len(), all.len());
}

#[test]
fn a_malformed_client_is_refused() {
    for export in [None, Some(short as Export), Some(empty as Export)] {
        // SAFETY: they hand out what a wrong client might.
        assert_eq!(unsafe { InitializeInjectionNvtx2(export) }, 0);
    }
}

/// Makes event attributes that state this size, with a message of this kind at this address.
fn attributes(size: u16, kind: i32, message: usize) -> [u64; 6] {
    let mut words = [u64::MAX; 6];
    words[0] = u64::from(size) << 16 | 3;
    (words[4], words[5]) = (kind as u64, message as u64);
    words
}

fn said(words: &[u64; 6]) -> Message<'_> {
    // SAFETY: attributes.
    unsafe { words.as_ptr().cast::<Attributes>().message() }
}

#[test]
fn messages_of_every_kind_are_read() {
    let text = CString::new("caf\u{e9} \u{1f600}").expect("no zero in it");
    let bytes = |message: Message| match message {
        Message::Bytes(bytes) => String::from_utf8(bytes.into_owned()).expect("UTF-8"),
        Message::Registered(number) => panic!("registered {number}"),
    };
    let whole = text.to_str().expect("UTF-8");
    // SAFETY: it ends with a zero.
    assert_eq!(bytes(unsafe { text.as_ptr().message() }), whole);
    let wide: Vec<Wide> = whole.chars().map(|char| char as Wide).chain([-1, 0xd800, 0, 7]).collect();
    // SAFETY: it has a zero.
    assert_eq!(bytes(unsafe { wide.as_ptr().message() }), format!("{whole}\u{fffd}\u{fffd}"));
    let long = CString::new(vec![b'x'; 5000]).expect("no zero in it");
    // SAFETY: it ends with a zero.
    assert_eq!(bytes(unsafe { long.as_ptr().message() }).len(), 4096, "no longer than a name is");

    let (text, wide) = (text.as_ptr().expose_provenance(), wide.as_ptr().expose_provenance());
    assert_eq!(bytes(said(&attributes(48, 1, text))), whole);
    assert_eq!(bytes(said(&attributes(64, 2, wide))).chars().count(), whole.chars().count() + 2);
    assert_eq!(said(&attributes(48, 3, 77)), Message::Registered(77));
    for (size, kind, message) in [(40, 1, text), (48, 0, text), (48, 9, text), (48, 1, 0), (48, 2, 0)] {
        assert_eq!(bytes(said(&attributes(size, kind, message))), "", "{size} {kind}");
    }
}

#[test]
fn a_domain_is_its_name() {
    let one = domains::of("one");
    assert_eq!((domains::of("one"), domains::of("")), (one, domains::DEFAULT));
    assert_ne!(domains::of("two"), one);
    assert_eq!((domains::name(one), domains::name(domains::DEFAULT)), (Some("one"), None));
    for number in 0..300 {
        domains::of(&format!("domain {number}"));
    }
    assert_eq!(domains::of("one too many"), domains::OTHER);
    assert_eq!((domains::of("one"), domains::name(domains::OTHER)), (one, None));
}
