// The bytes of mesh files by name. Undo leaves them, and a name keeps its bytes.

const files = new Map<string, Uint8Array>();

/** The mesh that the page comes with. */
const OCTAHEDRON = `# An octahedron around the origin.
v 1 0 0
v -1 0 0
v 0 1 0
v 0 -1 0
v 0 0 1
v 0 0 -1
f 1 3 5
f 3 2 5
f 2 4 5
f 4 1 5
f 3 1 6
f 2 3 6
f 4 2 6
f 1 4 6
`;

files.set("octahedron.obj", new TextEncoder().encode(OCTAHEDRON));

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((x, i) => x === b[i]);

/** Stores a file under its name or, where other bytes have it, the next free one; returns that name. */
export function addFile(name: string, bytes: Uint8Array): string {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${stem}-${number}${extension}`;
    const there = files.get(free);
    if (!there || equal(there, bytes)) {
      files.set(free, bytes);
      return free;
    }
  }
}

export const bytesOf = (name: string): Uint8Array | undefined => files.get(name);

/** The stored files among these names, for the engine. */
export function selectFiles(names: Iterable<string>): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const name of names) {
    const bytes = files.get(name);
    if (bytes) found.set(name, bytes);
  }
  return found;
}
