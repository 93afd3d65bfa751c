//! `--ignore`: a scene without some of its objects.

use crate::error::{Error, Result};
use crate::scene::SceneSpace;
use hitscan::{ObjectId, Scene};
use hitscan_io::object_positions;

/// The objects of a scene that are left, with the ids that they have in the whole scene.
pub(crate) struct Rest<V: SceneSpace> {
    pub(crate) scene: Scene<V>,
    /// The position of each object in the tables of the whole scene: see [`object_positions`].
    positions: Option<Vec<u32>>,
}

impl<V: SceneSpace> Rest<V> {
    /// The scene without the objects of these names; `names` are those of all objects, in the order of insertion.
    pub(crate) fn without(whole: &Scene<V>, names: &[String], ignored: &[String]) -> Result<Self> {
        if let Some(unknown) = ignored.iter().find(|name| !names.contains(name)) {
            return Err(Error::input(format!(
                "--ignore {unknown}: no object has this name (hitscan info lists the names)"
            )));
        }
        let (mut scene, positions) = (whole.snapshot(), object_positions(whole));
        if ignored.is_empty() {
            return Ok(Self { scene, positions });
        }
        for ((id, _), name) in whole.objects().zip(names) {
            if ignored.contains(name) {
                scene.remove(id).map_err(|error| Error::input(error.to_string()))?;
            }
        }
        scene.rebuild();
        Ok(Self { scene, positions })
    }

    /// The position of each object by the row of its id; `None` where these are the same.
    pub(crate) fn positions(&self) -> Option<&[u32]> {
        self.positions.as_deref()
    }

    /// The names of the objects that are left, in the order of insertion; `names` are those of all objects.
    pub(crate) fn names<'a>(&self, names: &'a [String]) -> Vec<&'a str> {
        let position = |id: ObjectId| self.positions().map_or(id.index(), |positions| positions[id.index()] as usize);
        self.scene.objects().map(|(id, _)| &names[position(id)][..]).collect()
    }
}
