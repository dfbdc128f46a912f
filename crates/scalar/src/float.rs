//! Rounding to `f16`, which no hardware or library does for us in one step.

use crate::f16;

/// The nearest `f16`, ties to even. Going through a nearest `f32` would round twice, so the `f32`
/// in between is rounded to odd: its last bit then records whether anything was cut off.
pub(crate) fn f16_from_f64(x: f64) -> f16 {
    f16::from_f32(round_to_odd(x))
}

fn round_to_odd(x: f64) -> f32 {
    let near = x as f32;
    if near as f64 == x || x.is_nan() {
        return near;
    }
    let toward_zero = if (near as f64).abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(toward_zero | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_once() {
        // Halfway between 1 and the next f16, and a little above it.
        let half_way = 1.0 + 2f64.powi(-11);
        assert_eq!(f16_from_f64(half_way), f16::ONE);
        assert_eq!(f16_from_f64(half_way + 2f64.powi(-50)), f16::from_f64(1.0 + 2f64.powi(-10)));
        assert_eq!(f16_from_f64(half_way - 2f64.powi(-50)), f16::ONE);
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(f16_from_f64(1e300), f16::INFINITY);
        assert_eq!(f16_from_f64(-1e300), f16::NEG_INFINITY);
        assert_eq!(f16_from_f64(65519.0), f16::MAX);
        assert_eq!(f16_from_f64(65520.0), f16::INFINITY);
        assert_eq!(f16_from_f64(1e-300), f16::ZERO);
        assert!(f16_from_f64(f64::NAN).is_nan());
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            assert!(x.is_nan() || f16_from_f64(x.to_f64()).to_bits() == bits);
        }
    }
}
