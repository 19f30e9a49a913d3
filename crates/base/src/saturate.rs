//! Conversions between types of numbers that saturate: a number beyond the ends of the other type becomes the
//! end that is nearer.
//!
//! Replaces `as` between integers, which drops the upper bits, and for numbers with a fraction says what `as`
//! does. Must not know what is counted.

/// A number that converts to `T`; where `T` is an integer type, numbers beyond its ends become the nearer
/// end.
pub trait Saturate<T> {
    /// Converts the number to `T`, as [`saturate`] does.
    fn saturated(self) -> T;
}

/// Converts a number to `T`; where `T` is an integer type, numbers beyond its ends become the nearer end,
/// fractions are dropped, and NaN becomes 0.
#[inline]
pub fn saturate<T>(number: impl Saturate<T>) -> T {
    number.saturated()
}

/// Implements [`Saturate`] from each integer type to the integer types listed after it.
macro_rules! integers {
    ($($From:ident => $($To:ident),+;)+) => {$($(
        impl Saturate<$To> for $From {
            #[inline]
            fn saturated(self) -> $To {
                #[allow(unused_comparisons, reason = "some types have no numbers below 0")]
                let end = if self < 0 { $To::MIN } else { $To::MAX };
                $To::try_from(self).unwrap_or(end)
            }
        }
    )+)+};
}

integers! {
    usize => u8, u16, u32, i32, i64, isize;
    u128 => u32, u64;
    u64 => u8, u16, u32, usize, i64;
    u32 => u8, u16, i32, isize;
    u16 => isize;
    i128 => u16, usize, i64;
    i64 => u32, u64, usize, u128, i32;
    i32 => u8, u32, usize;
    isize => usize;
}

/// Implements [`Saturate`] from each float type to the types listed after it.
macro_rules! floats {
    ($($From:ident => $($To:ident),+;)+) => {$($(
        impl Saturate<$To> for $From {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast from a float saturates, and of NaN gives 0"
            )]
            fn saturated(self) -> $To {
                self as $To
            }
        }
    )+)+};
}

floats! {
    f64 => u16, u64, usize, i64, i128, f32;
    f32 => u8, i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_ends_it_is_the_end() {
        assert_eq!((saturate::<u16>(70_000_usize), saturate::<u16>(7_usize)), (u16::MAX, 7));
        assert_eq!((saturate::<u64>(-1_i64), saturate::<i64>(u64::MAX)), (0, i64::MAX));
        assert_eq!((saturate::<usize>(-3_isize), saturate::<i32>(i64::MIN)), (0, i32::MIN));
        assert_eq!(
            (saturate::<u16>(-0.7), saturate::<u16>(1e9), saturate::<i64>(f64::NAN)),
            (0, u16::MAX, 0)
        );
    }
}
