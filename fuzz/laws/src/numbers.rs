//! Decoder of numbers from bytes.

/// Distribution of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Lattice, one byte each: a multiple of 1/2 from -4 to 3.5, some of them one step or 2^-20 off, some 2^20 times as
    /// large. Ties, touching and coincidence are frequent.
    Lattice,
    /// Any bit pattern.
    Bits,
    /// Lattice number times a power of two, from the smallest to the largest.
    Scales,
    /// Mixed: a byte selects the distribution of each number.
    Mixed,
}

/// Endless reader: zeros follow the last byte.
#[derive(Clone, Debug)]
pub(crate) struct Numbers<'a> {
    bytes: &'a [u8],
    mode: Mode,
    single: bool,
    least: f64,
    most: f64,
    coarse: bool,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, mode: Mode::Lattice, single: false, least: f64::INFINITY, most: 0.0, coarse: true }
    }

    /// Restricts numbers to `f32` if `single`.
    pub(crate) fn set(&mut self, mode: u8, single: bool) {
        self.mode = [Mode::Lattice, Mode::Bits, Mode::Scales, Mode::Mixed][usize::from(mode % 4)];
        self.single = single;
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    pub(crate) fn number(&mut self) -> f64 {
        let x = match self.mode {
            Mode::Lattice => self.lattice(),
            Mode::Bits => self.bits(),
            Mode::Scales => self.scaled(),
            Mode::Mixed => match self.byte() % 4 {
                0 | 1 => self.lattice(),
                2 => self.bits(),
                _ => self.scaled(),
            },
        };
        self.note(x);
        x
    }

    pub(crate) fn point(&mut self, dim: usize) -> [f64; 3] {
        let mut point = [0.0; 3];
        point[..dim].iter_mut().for_each(|x| *x = self.number());
        point
    }

    fn round(&self, x: f64) -> f64 {
        if self.single { f64::from(x as f32) } else { x }
    }

    fn lattice(&mut self) -> f64 {
        let byte = self.byte();
        let x = f64::from(((byte & 15) ^ 8) as i8 - 8) / 2.0; // sign-extended
        let step = |up: bool| match (self.single, up) {
            (true, true) => f64::from((x as f32).next_up()),
            (true, false) => f64::from((x as f32).next_down()),
            (false, true) => x.next_up(),
            (false, false) => x.next_down(),
        };
        match byte >> 4 {
            11 => step(true),
            12 => step(false),
            13 => x + (-20f64).exp2(),
            14 => x * 20f64.exp2(),
            15 => self.round(x / 3.0),
            _ => x,
        }
    }

    fn bits(&mut self) -> f64 {
        if self.single { f64::from(f32::from_le_bytes(self.take())) } else { f64::from_le_bytes(self.take()) }
    }

    fn scaled(&mut self) -> f64 {
        let exponent = i32::from(self.byte() as i8);
        let x = self.lattice();
        let half = f64::from(if self.single { exponent } else { 8 * exponent } / 2).exp2();
        self.round(x * half * half)
    }

    /// Adds a computed number to the statistics.
    pub(crate) fn note(&mut self, x: f64) {
        let steps = x * 64.0;
        self.coarse &= steps.fract() == 0.0 && steps.abs() <= 8192.0;
        if x != 0.0 && x.is_finite() {
            self.least = self.least.min(x.abs());
            self.most = self.most.max(x.abs());
        }
    }

    pub(crate) fn note_all(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|x| self.note(x));
    }

    /// Ratio of the largest to the smallest magnitude so far.
    pub(crate) fn spread(&self) -> f64 {
        if self.most == 0.0 { 1.0 } else { self.most / self.least }
    }

    /// Whether all numbers are multiples of 1/64 up to 128.
    pub(crate) fn coarse(&self) -> bool {
        self.coarse
    }

    /// Whether no parameter of a line can overflow or underflow: it is a quotient of products of three numbers.
    pub(crate) fn tame(&self) -> bool {
        self.spread() <= if self.single { 1e9 } else { 1e60 }
    }
}
