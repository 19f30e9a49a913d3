//! The process's end, while another thread is in CUPTI.

use std::thread;

use super::*;

/// State of the flush: 0 not begun, 1 under way, 2 over.
static FLUSH: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn flush(_flag: u32) -> u32 {
    FLUSH.store(1, Ordering::SeqCst);
    thread::sleep(Duration::from_millis(50));
    FLUSH.store(2, Ordering::SeqCst);
    OK
}

/// Tests that [`Recorder::shut_down`] returns only after a flush that another thread is making. Needs an open
/// process.
pub(crate) fn shutting_down_waits_for_threads_in_cupti() {
    waiting::set_limit(Duration::from_secs(5));
    // SAFETY: this process has no CUPTI, so there is no function.
    let mut cupti = unsafe { Functions::of(ptr::null_mut()) };
    cupti.flush_all = Some(flush);
    let mut kinds = Kinds::new(&cupti, OLDEST, false);
    kinds.is_on = true;
    let state = Lock::new(kinds);
    let session = Session {
        path: PathBuf::new(),
        cupti,
        version: OLDEST,
        is_wall_clock: false,
        wants_driver: false,
        syncs: true,
        state,
        subscriber: AtomicPtr::default(),
    };
    thread::scope(|scope| {
        scope.spawn(|| session.save());
        while FLUSH.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        session.shut_down();
        assert_eq!(FLUSH.load(Ordering::SeqCst), 2);
    });
}
