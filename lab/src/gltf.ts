// A glTF may be spread over several files. The page keeps one for a mesh: the others go into it.

import { toBase64 } from "./compression.js";

interface Header {
  buffers?: { uri?: string }[];
}

/** The mesh with all its data. What is no glTF, or names files that have not come with it, is left as it is. */
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

/** The engine says what is wrong with a file that is no JSON. */
function read(bytes: Uint8Array): Header | null {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Header | null;
  } catch {
    return null;
  }
}

/** Beside the mesh, in a folder maybe; dropped, a file has its last name only. */
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
