//! The manifest of a folder of results: what they were computed from, so that a run that goes on computes the same.

use crate::error::{Error, Fault, Result};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;
use twox_hash::XxHash3_128;

/// The name of the manifest. Readers of folders leave out names that begin with `_`.
pub const MANIFEST: &str = "_hitscan.json";

/// The bytes at each end of an input that its digest covers.
const DIGEST_BYTES: u64 = 1 << 20;

/// An input, as the manifest knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFacts {
    /// Its path, relative to the folder of all inputs.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its time of modification in nanoseconds since 1970, or another mark of its version.
    pub modified: String,
    /// [`input_digest`] of its ends.
    pub digest: String,
}

/// A hash of bytes: 128 bits of XXH3, in hexadecimal digits.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}

/// The digest of an input: a hash of its first and its last megabyte (2²⁰ bytes). A shorter input is both.
#[must_use]
pub fn input_digest(first: &[u8], last: &[u8]) -> String {
    content_hash(&[first, last].concat())
}

impl InputFacts {
    /// The facts about a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn of_file(path: &Path, name: String) -> Result<Self> {
        let read = || -> std::io::Result<Self> {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            let size = metadata.len();
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            let modified = modified.as_nanos().to_string();
            let (mut first, mut last) = (Vec::new(), Vec::new());
            file.by_ref().take(DIGEST_BYTES).read_to_end(&mut first)?;
            file.seek(SeekFrom::Start(size.saturating_sub(DIGEST_BYTES)))?;
            file.take(DIGEST_BYTES).read_to_end(&mut last)?;
            Ok(Self { name, size, modified, digest: input_digest(&first, &last) })
        };
        read().map_err(|error| Error::io(path, error))
    }
}

/// The text of a manifest: JSON with the version of hitscan, the hash of the scene, the options and the inputs.
///
/// # Errors
///
/// When `options` is no JSON.
pub fn manifest(scene: &str, options: &str, inputs: &[InputFacts]) -> Result<String> {
    let options: Value = serde_json::from_str(options).map_err(|error| damaged(&error.to_string()))?;
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|InputFacts { name, size, modified, digest }| {
            json!({ "name": name, "size": size, "modified": modified, "digest": digest })
        })
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let all = json!({ "hitscan": version, "scene": scene, "options": options, "inputs": inputs });
    Ok(format!("{all:#}\n"))
}

/// Whether two manifests are of the same results. Inputs without results may have changed, such as one that could not be read
/// and was mended: the names of those that have. `has_results` tells whether an input has any, by its name.
///
/// # Errors
///
/// The first other difference, by its name.
pub fn compare_manifests(earlier: &str, now: &str, has_results: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let [earlier, now] = [earlier, now].map(serde_json::from_str::<Map<String, Value>>);
    let (Ok(earlier), Ok(now)) = (earlier, now) else { return Err(damaged("it is no JSON")) };
    let changed = |what: &str, before: Option<&Value>, after: Option<&Value>| {
        let text = |value: Option<&Value>| match value {
            None | Some(Value::Null) => "nothing".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let (before, after) = (text(before), text(after));
        refusal(&format!("{what} was {before}, and is {after} now"))
    };
    let of = |map: &Map<String, Value>, name: &str| map.get(name).cloned();
    for (name, what) in [("hitscan", "the version of hitscan"), ("scene", "the scene's hash")] {
        if of(&earlier, name) != of(&now, name) {
            return Err(changed(what, earlier.get(name), now.get(name)));
        }
    }
    let empty = Map::new();
    let options = |map: &Map<String, Value>| map.get("options").and_then(Value::as_object).cloned();
    let (before, after) = (options(&earlier).unwrap_or(empty.clone()), options(&now).unwrap_or(empty));
    for name in before.keys().chain(after.keys()) {
        if before.get(name) != after.get(name) {
            return Err(changed(&format!("the option {name}"), before.get(name), after.get(name)));
        }
    }
    let inputs = |map: &Map<String, Value>| map.get("inputs").and_then(Value::as_array).cloned().unwrap_or_default();
    let (before, after) = (inputs(&earlier), inputs(&now));
    let named = |inputs: &[Value], name: &Value| inputs.iter().find(|input| input["name"] == *name).cloned();
    let mut mended = Vec::new();
    for input in &before {
        let name = &input["name"];
        let Some(again) = named(&after, name) else {
            return Err(refusal(&format!("the input {name} is not there now")));
        };
        let facts = [("size", "size"), ("modified", "time of modification"), ("digest", "content")];
        let Some((key, what)) = facts.into_iter().find(|(key, _)| input[key] != again[key]) else { continue };
        match name.as_str() {
            Some(name) if !has_results(name) => mended.push(name.to_owned()),
            _ => return Err(changed(&format!("the {what} of the input {name}"), input.get(key), again.get(key))),
        }
    }
    match after.iter().find(|input| named(&before, &input["name"]).is_none()) {
        Some(input) => Err(refusal(&format!("the input {} is new", input["name"]))),
        None => Ok(mended),
    }
}

fn refusal(text: &str) -> Error {
    let advice = "results of both would be mixed: give another folder, or the inputs and options as they were";
    Fault::file(format!("{text} ({advice})")).in_file(Path::new(MANIFEST))
}

fn damaged(text: &str) -> Error {
    Fault::file(format!("the manifest is damaged: {text}")).in_file(Path::new(MANIFEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, size: u64) -> InputFacts {
        InputFacts { name: name.into(), size, modified: "1.5".into(), digest: input_digest(b"a", b"b") }
    }

    #[test]
    fn each_difference_is_named() {
        let inputs = [facts("a.csv", 1), facts("b.csv", 2)];
        let first = manifest("abc", r#"{"query":"first","t_max":null}"#, &inputs).unwrap();
        assert_eq!(compare_manifests(&first, &first, |_| true).unwrap(), [""; 0]);
        let differs = |scene, options, inputs: &[InputFacts]| {
            let text = compare_manifests(&first, &manifest(scene, options, inputs).unwrap(), |_| true);
            let text = text.unwrap_err().to_string();
            text.split(" (results of both").next().unwrap().to_owned()
        };
        let same = r#"{"query":"first","t_max":null}"#;
        assert_eq!(differs("abd", same, &inputs), "_hitscan.json: the scene's hash was abc, and is abd now");
        let other = r#"{"query":"first","t_max":2.5}"#;
        assert_eq!(differs("abc", other, &inputs), "_hitscan.json: the option t_max was nothing, and is 2.5 now");
        let other = [facts("a.csv", 1), facts("b.csv", 3)];
        assert_eq!(differs("abc", same, &other), "_hitscan.json: the size of the input \"b.csv\" was 2, and is 3 now");
        assert_eq!(differs("abc", same, &inputs[..1]), "_hitscan.json: the input \"b.csv\" is not there now");
        let more = [&inputs[..], &[facts("c.csv", 1)]].concat();
        assert_eq!(differs("abc", same, &more), "_hitscan.json: the input \"c.csv\" is new");
        let mended = manifest("abc", same, &other).unwrap();
        assert_eq!(compare_manifests(&first, &mended, |name| name != "b.csv").unwrap(), ["b.csv"]);
        assert!(compare_manifests(&first, &mended, |name| name != "a.csv").is_err());
        assert!(compare_manifests("{", &first, |_| true).unwrap_err().to_string().contains("is damaged"));
    }
}
