//! Cancelling a computation whose result nobody wants any more.
//!
//! Whoever starts the computation keeps its [`Token`]. The computation checks it in its long loops: by
//! [`check`] on the thread that [`run`] was called on, by a copy of [`current`] on others, such as rayon's. A
//! check of a cancelled token unwinds the stack to [`run`], past functions that need not know of it, so that
//! none of them goes on with a part of its data. This is no panic: no hook runs, nothing is reported. Must
//! not know what is computed.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether a computation is cancelled; all clones of a token say the same. The default token can never
/// be cancelled.
#[derive(Clone, Debug, Default)]
pub struct Token(Option<Arc<AtomicBool>>);

/// The error of a computation that was cancelled, and so has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

thread_local! {
    /// The token of the computation that runs on this thread; the default token if none runs.
    static CURRENT: RefCell<Token> = const { RefCell::new(Token(None)) };
}

impl Token {
    /// Makes a token that can be cancelled, and is not yet.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// True if the tokens are clones of one another, or both are default tokens.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Cancels the computation, which ends at its next check. Does nothing to a default token.
    pub fn cancel(&self) {
        if let Some(is_cancelled) = &self.0 {
            is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// True once the computation is cancelled; never for a default token.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|is_cancelled| is_cancelled.load(Ordering::Relaxed))
    }

    /// Ends the computation if the token is cancelled: unwinds the stack up to [`run`], which returns
    /// [`Cancelled`].
    #[inline]
    pub fn check(&self) {
        if self.is_cancelled() {
            unwind();
        }
    }
}

#[cold]
fn unwind() -> ! {
    resume_unwind(Box::new(Cancelled))
}

/// The token of the computation that runs on this thread; if none runs, the default token.
pub fn current() -> Token {
    CURRENT.with_borrow(Clone::clone)
}

/// Ends the computation that runs on this thread if it is cancelled: unwinds the stack up to [`run`], which
/// returns [`Cancelled`].
pub fn check() {
    CURRENT.with_borrow(Token::is_cancelled).then(unwind);
}

/// Runs `compute` on this thread, with `token` as the [`current`] token, and returns its result.
///
/// # Errors
/// [`Cancelled`] if a check ended `compute`. A panic of `compute` goes on.
pub fn run<T>(token: &Token, compute: impl FnOnce() -> T) -> Result<T, Cancelled> {
    let outer = CURRENT.replace(token.clone());
    // What an unwound computation leaves half done is dropped with it: it changes no data but its own.
    let result = catch_unwind(AssertUnwindSafe(compute));
    CURRENT.set(outer);
    match result {
        Ok(result) => Ok(result),
        Err(payload) if payload.is::<Cancelled>() => Err(Cancelled),
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs a part of a computation on this thread, such as one of rayon's threads, with the computation's
/// `token` as the [`current`] token.
pub fn under<T>(token: &Token, compute: impl FnOnce() -> T) -> T {
    struct Outer(Token);
    impl Drop for Outer {
        fn drop(&mut self) {
            CURRENT.set(std::mem::take(&mut self.0));
        }
    }
    let _outer = Outer(CURRENT.replace(token.clone()));
    compute()
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn a_computation_ends_at_its_next_check() {
        let token = Token::new();
        let mut steps = 0;
        let ended = run(&token, || {
            for at in 0.. {
                check();
                steps += 1;
                if at == 9 {
                    token.cancel();
                }
            }
        });
        assert_eq!((ended, steps), (Err(Cancelled), 10));
        assert_eq!(run(&Token::default(), check), Ok(()), "another computation goes on");
        check();
    }

    #[test]
    fn threads_of_rayon_end_with_it() {
        let token = Token::new();
        let ended = run(&token, || {
            let current = current();
            let all = (0..1_000_000_u64).into_par_iter().map(|at| {
                current.check();
                if at == 1000 {
                    token.cancel();
                }
                at
            });
            all.sum::<u64>()
        });
        assert_eq!(ended, Err(Cancelled));
    }

    #[test]
    fn parts_on_other_threads_have_the_token() {
        let token = Token::new();
        let ended = run(&token, || {
            let current = current();
            let part = |at: u64| {
                under(&current, || {
                    if at == 1000 {
                        token.cancel();
                    }
                    check();
                });
            };
            (0..1_000_000_u64).into_par_iter().for_each(part);
        });
        assert_eq!(ended, Err(Cancelled));
        check();
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let caught = std::panic::catch_unwind(|| run(&Token::new(), || resume_unwind(Box::new("other"))));
        assert_eq!(caught.expect_err("a panic").downcast_ref(), Some(&"other"));
    }
}
