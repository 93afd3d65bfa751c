//! `--ignore`: a scene without some of its objects.

use crate::error::{Error, Result};
use crate::scene::SceneSpace;
use hitscan::{Accelerator, Scene, SceneBuilder};

/// The objects of a scene that are left.
pub(crate) struct Rest<V: SceneSpace> {
    pub(crate) scene: Scene<V>,
    /// Their numbers in the whole scene.
    pub(crate) numbers: Vec<u32>,
}

impl<V: SceneSpace> Rest<V> {
    /// The scene without the objects of these names; `None` where no object is left out.
    pub(crate) fn without(
        scene: &Scene<V>,
        names: &[String],
        ignored: &[String],
        accelerator: Accelerator,
    ) -> Result<Option<Self>> {
        if ignored.is_empty() {
            return Ok(None);
        }
        if let Some(unknown) = ignored.iter().find(|name| !names.contains(name)) {
            return Err(Error::input(format!(
                "--ignore {unknown}: no object has this name (hitscan info lists the names)"
            )));
        }
        let (mut builder, mut numbers) = (SceneBuilder::new(), Vec::new());
        for (number, (object, name)) in (0..).zip(scene.objects().map(|(_, object)| object).zip(names)) {
            if !ignored.contains(name) {
                builder.insert(object.clone()).map_err(|error| Error::input(error.to_string()))?;
                numbers.push(number);
            }
        }
        Ok(Some(Self { scene: builder.build_with(accelerator), numbers }))
    }
}

/// The names of the objects that are left; `numbers` is `None` where no object is left out.
pub(crate) fn kept_names<'a>(names: &'a [String], numbers: Option<&[u32]>) -> Vec<&'a str> {
    match numbers {
        Some(numbers) => numbers.iter().map(|number| &names[*number as usize][..]).collect(),
        None => names.iter().map(String::as_str).collect(),
    }
}
