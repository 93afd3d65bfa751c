//! Colours: linear light inside, sRGB outside.

use hitscan::glam::DVec3;

/// Red, green and blue in linear light.
pub(crate) type Color = DVec3;

/// From `0xRRGGBB`.
pub(crate) fn rgb(hex: u32) -> Color {
    let channel = |shift: u32| (f64::from(hex >> shift & 0xff) / 255.0).powf(2.2);
    DVec3::new(channel(16), channel(8), channel(0))
}

/// Bytes of a picture.
pub(crate) fn encode(color: Color) -> [u8; 3] {
    color.to_array().map(|x| (x.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0 + 0.5) as u8)
}

/// Colours that most eyes distinguish (after Okabe and Ito, and Tol).
pub(crate) const PALETTE: [u32; 12] = [
    0x4477aa, 0xee7733, 0x44aa77, 0xcc3377, 0x66bbdd, 0xddaa33, 0x8855aa, 0xbb4433, 0x669933, 0xee99aa, 0x337788,
    0x997755,
];

/// The red of a ray up to its hit, the blue of a miss, the green of a normal.
pub(crate) const HIT: u32 = 0xd62728;
pub(crate) const MISS: u32 = 0x1f5fd0;
pub(crate) const NORMAL: u32 = 0x1f9e3f;

/// The gray of construction lines.
pub(crate) const CONSTRUCTION: u32 = 0x5b6675;

/// The gray of shapes that a picture is not about.
pub(crate) const PALE: u32 = 0xb4bcc8;

/// The colour of a shape, by its number.
pub(crate) fn of_shape(number: usize) -> u32 {
    PALETTE[number % PALETTE.len()]
}

/// Near is bright, far is dark: yellow, green, blue, violet (after viridis), for 0 to 1.
pub(crate) fn of_depth(share: f64) -> Color {
    let stops = [0xfde725, 0x7ad151, 0x22a884, 0x2a788e, 0x414487, 0x440154].map(rgb);
    let place = share.clamp(0.0, 1.0) * 5.0;
    let index = (place as usize).min(4);
    stops[index].lerp(stops[index + 1], place - index as f64)
}

/// The colour of a pixel of a picture: the inverse of [`encode`].
pub(crate) fn decode(bytes: [u8; 3]) -> Color {
    DVec3::from_array(bytes.map(|byte| (f64::from(byte) / 255.0).powf(2.2)))
}
