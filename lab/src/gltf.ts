// glTF in several files: the page keeps one file for a mesh and writes the buffers of the others into it.

import { toBase64 } from "./compression.js";

interface Header {
  buffers?: { uri?: string }[];
}

/** The file with its buffers inside. Other formats, and buffers in files that are not here, stay as they are. */
export function inlineBuffers(name: string, bytes: Uint8Array, others: ReadonlyMap<string, Uint8Array>): Uint8Array {
  if (!/\.gltf$/i.test(name)) return bytes;
  const header = read(bytes);
  let changed = false;
  for (const buffer of Array.isArray(header?.buffers) ? header.buffers : []) {
    const data = typeof buffer?.uri === "string" && found(name, buffer.uri, others);
    if (!data) continue;
    buffer.uri = `data:application/octet-stream;base64,${toBase64(data).replaceAll("-", "+").replaceAll("_", "/")}`;
    changed = true;
  }
  return changed ? new TextEncoder().encode(JSON.stringify(header)) : bytes;
}

/** The JSON of the file; null if it is none, which the engine reports. */
function read(bytes: Uint8Array): Header | null {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Header | null;
  } catch {
    return null;
  }
}

/** The file that a URI names: by its path beside the mesh, or by its last name, as dropped files have it. */
function found(mesh: string, uri: string, others: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  let path = uri;
  try {
    path = decodeURIComponent(uri);
  } catch {
    // Not an escape: a name with a percent sign.
  }
  const folder = mesh.slice(0, mesh.lastIndexOf("/") + 1);
  return others.get(folder + path) ?? others.get(path.split("/").at(-1)!);
}
