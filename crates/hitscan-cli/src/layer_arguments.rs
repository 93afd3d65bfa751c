//! `--layers`.

use crate::error::Error;
use clap::Args;
use hitscan_io::SceneFile;
use std::fmt::{self, Display, Formatter};

/// The layers that count.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LayerArguments {
    /// Only shapes and objects on one of these layers, 0 to 31 or names of the scene: trees,4 [default: all]
    ///
    /// The numbers are those of `layer` and `layers` in a scene file, the names those of `[layers]`. In Rust a query takes them as a bit mask, in which
    /// layer n is the bit 1 << n: `Query::new().layers(1 << 0 | 1 << 3)`.
    #[arg(long, value_name = "LAYERS", value_delimiter = ',', value_parser = layer)]
    pub(crate) layers: Option<Vec<LayerArgument>>,
    /// The bit mask of `layers`, after [`Self::find`].
    #[arg(skip)]
    mask: Option<u32>,
}

/// A layer, as the user names it.
#[derive(Clone, Debug)]
pub(crate) enum LayerArgument {
    Number(u32),
    /// A name of the scene file.
    Name(String),
}

impl Display for LayerArgument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

/// A number from 0 to 31, or a name: anything that is no number.
fn layer(text: &str) -> Result<LayerArgument, String> {
    let text = text.trim();
    match text.parse() {
        Ok(number @ 0..=31) => Ok(LayerArgument::Number(number)),
        _ if text.is_empty() || text.parse::<f64>().is_ok() => Err("layers are 0 to 31, or names of the scene".into()),
        _ => Ok(LayerArgument::Name(text.to_owned())),
    }
}

impl LayerArguments {
    /// Finds the layers by their names. Call it before any query.
    pub(crate) fn find(&mut self, file: &SceneFile) -> crate::error::Result<()> {
        let unknown = |text| Error::input(format!("--layers: {}: {text}", file.path().display()));
        let number = |layer: &LayerArgument| match layer {
            LayerArgument::Number(number) => Ok(*number),
            LayerArgument::Name(name) => file.layer_names().find(name).map_err(unknown),
        };
        if let Some(layers) = &self.layers {
            self.mask = Some(layers.iter().try_fold(0, |mask, layer| Ok::<_, Error>(mask | 1 << number(layer)?))?);
        }
        Ok(())
    }

    /// The bit mask of the layers: layer n is the bit `1 << n`, as in [`hitscan::Query::layers`].
    pub(crate) fn mask(&self) -> u32 {
        self.mask.unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_bits() {
        let file = "layers = { trees = 3 }\n[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1";
        let file = SceneFile::parse_toml("scene.toml", file).unwrap();
        let layers = ["0", " trees", "31"].map(|text| layer(text).unwrap()).to_vec();
        let mut flags = LayerArguments { layers: Some(layers), ..LayerArguments::default() };
        flags.find(&file).unwrap();
        assert_eq!(flags.mask(), 1 | 8 | 1 << 31);
        assert_eq!(LayerArguments::default().mask(), u32::MAX);
    }
}
