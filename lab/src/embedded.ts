// The scene that `hitscan lab SCENE` writes into the page, so that the page requests nothing.

import type { Actions } from "./actions.js";
import { fromBase64 } from "./compression.js";

interface EmbeddedScene {
  name: string;
  toml: string;
  /** The meshes that the scene names, and their buffer files, by name. */
  files: Record<string, string>;
}

/** Opens the scene in the page, if there is one. */
export function openEmbeddedScene(actions: Actions): void {
  const element = document.getElementById("hitscan-scene");
  if (!element?.textContent) return;
  const { name, toml, files } = JSON.parse(element.textContent) as EmbeddedScene;
  const meshes = Object.entries(files).map(([file, text]): [string, Uint8Array] => [file, fromBase64(text)]);
  try {
    actions.openScene(name, toml, new Map(meshes));
  } catch (error) {
    actions.say((error as Error).message);
  }
}
