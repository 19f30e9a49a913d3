//! What CUPTI is set to before it records: the records' threads and clock, the buffers, and the memory that
//! it takes on devices. Knows neither kinds of records nor cycles.

#![allow(unsafe_code, reason = "calls CUPTI's functions with variables of its own")]

use proftui_wire::log::NoteKind;

use crate::cuda::answers::Answers;
use crate::cuda::functions::{Clock, Complete, Functions, OK, Request};
use crate::{clock, process};

/// `CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT`: records have the thread ids of pthread.
const DEFAULT_THREADS: u32 = 0;
/// `CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM`: records have the operating system's thread ids.
const SYSTEM_THREADS: u32 = 1;
/// Warning for a CUPTI that refuses to put the operating system's thread ids into records.
const NO_THREADS: &str =
    "this CUPTI version does not report the system's thread ids: CUDA calls are shown on lanes of their own";

/// `CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT`: most buffers that CUPTI takes on a device for each
/// context; 250 by default.
const POOL: u32 = 2;
/// `CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE`: how many buffers on a device CUPTI takes for a
/// context in advance; 3 by default. It must be less than the value of [`POOL`].
const AT_ONCE: u32 = 6;
/// `CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED`: set to 1, CUPTI takes memory of the host instead of
/// the device for the buffers of devices.
const IS_ON_HOST: u32 = 8;
/// `CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER`: 1 for a buffer per thread, the default from CUDA 13 on;
/// 0 for buffers that threads share.
const IS_PER_THREAD: u32 = 9;

/// Size of a buffer on a device, bytes: CUPTI's default, which is kept.
const POOL_BYTES: u64 = 3_200_000;
/// How many buffers on a device CUPTI takes for a context in advance, by default.
const POOL_AT_ONCE: u64 = 3;
/// How many buffers on a device CUPTI takes for a context at most, by default.
const POOL_MOST: u64 = 250;
/// First API version in which each thread has buffers of its own by default.
const WITH_THREAD_BUFFERS: u32 = 130_000;

/// The recorder's functions that CUPTI calls: for buffers and for the time.
pub(super) struct Callbacks {
    pub request: Request,
    pub complete: Complete,
    pub clock: Clock,
}

/// Sets CUPTI up before kinds of records are enabled. True if it refused our clock, so that records have
/// wall-clock times; the error is its code if it refused our buffers.
pub(super) fn apply(
    cupti: &Functions,
    answers: &mut Answers,
    memory: u64,
    callbacks: &Callbacks,
) -> Result<bool, u32> {
    // SAFETY: a number.
    let threads = answers.add("cuptiSetThreadIdType", unsafe { cupti.set_thread_ids(SYSTEM_THREADS) });
    // Before CUDA 12 threads share buffers anyway. That our buffers are zeroed is not stated to CUPTI: it
    // would believe it of those of any other tool, too.
    flag(cupti, answers, IS_PER_THREAD, 0);
    if memory == 0 {
        flag(cupti, answers, IS_ON_HOST, 1);
    } else {
        let most = (memory / POOL_BYTES).max(1);
        if most <= POOL_AT_ONCE {
            number(cupti, answers, AT_ONCE, most - 1);
        }
        number(cupti, answers, POOL, most);
    }
    // SAFETY: functions of ours; no kind is enabled yet.
    let (clock, buffers) = unsafe {
        (cupti.register_clock(callbacks.clock), cupti.register(callbacks.request, callbacks.complete))
    };
    answers.add("cuptiActivityRegisterTimestampCallback", clock);
    answers.add("cuptiActivityRegisterCallbacks", buffers);
    if buffers != OK {
        return Err(buffers);
    }
    if threads != OK {
        process::note(NoteKind::Warning, NO_THREADS);
    }
    Ok(clock != OK)
}

/// Sets most of what [`apply`] has set back to CUPTI's defaults, for another tool. Kinds of records must be
/// disabled before.
pub(super) fn undo(cupti: &Functions, version: u32, memory: u64) {
    let mut answers = Answers::default();
    flag(cupti, &mut answers, IS_PER_THREAD, u8::from(version >= WITH_THREAD_BUFFERS));
    if memory == 0 {
        flag(cupti, &mut answers, IS_ON_HOST, 0);
    } else {
        number(cupti, &mut answers, POOL, POOL_MOST);
        number(cupti, &mut answers, AT_ONCE, POOL_AT_ONCE);
    }
    // SAFETY: a number, and a function of this file. A clock cannot be taken away again: this one is CUPTI's
    // own.
    unsafe {
        cupti.set_thread_ids(DEFAULT_THREADS);
        cupti.register_clock(wall);
    }
}

/// The wall clock, ns since 1970, which replaces our clock when CUPTI is left.
extern "C" fn wall() -> u64 {
    clock::wall()
}

/// Sets an attribute of one byte, and adds CUPTI's answer to `answers`.
fn flag(cupti: &Functions, answers: &mut Answers, attribute: u32, mut value: u8) {
    let mut size = size_of::<u8>();
    // SAFETY: variables of our own, and the size of the one.
    let answer = unsafe { cupti.set_attribute(attribute, &raw mut size, (&raw mut value).cast()) };
    answers.add(&format!("attribute {attribute}={value}"), answer);
}

/// Sets an attribute that is a number (`size_t`), and adds CUPTI's answer to `answers`.
fn number(cupti: &Functions, answers: &mut Answers, attribute: u32, mut value: u64) {
    let mut size = size_of::<u64>();
    // SAFETY: variables of our own, and the size of the one.
    let answer = unsafe { cupti.set_attribute(attribute, &raw mut size, (&raw mut value).cast()) };
    answers.add(&format!("attribute {attribute}={value}"), answer);
}
