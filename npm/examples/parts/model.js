// Models for measuring: a cup as a GLB file, and the triangles of any GLB file.

import * as THREE from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

/** A closed cup in meters. Its wall becomes thinner from 6 mm at the foot to 3 mm at the rim. */
export function makeCup() {
  const [segments, rows, height, foot] = [96, 24, 0.095, 0.008];
  const outside = (y) => 0.03 + 0.012 * Math.sin((y / height) * 1.4) + 0.004 * (y / height);
  // The outline in the half plane of radius and height: from the middle of the bottom out, up, and down in the inside.
  const outline = [];
  for (let i = 0; i <= rows; i++) outline.push([outside((i / rows) * height), (i / rows) * height]);
  for (let i = rows; i >= 0; i--) {
    const y = foot + (i / rows) * (height - foot);
    outline.push([outside(y) - (0.006 - 0.003 * (y / height)), y]);
  }
  // Rings of vertices that close without a seam, and a vertex in the middle at each end.
  const positions = [0, 0, 0];
  for (const [radius, y] of outline) {
    for (let i = 0; i < segments; i++) {
      const angle = (i / segments) * 2 * Math.PI;
      positions.push(radius * Math.cos(angle), y, radius * Math.sin(angle));
    }
  }
  positions.push(0, foot, 0);
  const last = positions.length / 3 - 1;
  const at = (ring, i) => 1 + ring * segments + (i % segments);
  const indices = [];
  for (let i = 0; i < segments; i++) {
    indices.push(0, at(0, i), at(0, i + 1));
    for (let ring = 0; ring + 1 < outline.length; ring++) {
      const [a, b, c, d] = [at(ring, i), at(ring, i + 1), at(ring + 1, i), at(ring + 1, i + 1)];
      indices.push(a, c, b, b, c, d);
    }
    indices.push(last, at(outline.length - 1, i + 1), at(outline.length - 1, i));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(indices), 1));
  return geometry;
}

/** The cup as the bytes of a GLB file. */
export const makeCupFile = () => new GLTFExporter().parseAsync(new THREE.Mesh(makeCup(), new THREE.MeshStandardMaterial()), { binary: true });

/** All triangles of a GLB file in its space, in `f64`. Bones and morph targets are left as the file has them at rest. */
export async function readTriangles(bytes) {
  const { scene } = await new GLTFLoader().parseAsync(bytes, "");
  scene.updateMatrixWorld();
  const [positions, indices] = [[], []];
  const corner = new THREE.Vector3();
  scene.traverse((object) => {
    if (!object.isMesh) return;
    const { position } = object.geometry.attributes;
    const { index } = object.geometry;
    const first = positions.length / 3;
    for (let i = 0; i < position.count; i++) {
      corner.fromBufferAttribute(position, i).applyMatrix4(object.matrixWorld);
      positions.push(corner.x, corner.y, corner.z);
    }
    const count = index ? index.count : position.count;
    for (let i = 0; i + 2 < count; i += 3) {
      for (let k = i; k < i + 3; k++) indices.push(first + (index ? index.getX(k) : k));
    }
  });
  if (indices.length === 0) throw new Error("The file has no triangles.");
  return { positions: new Float64Array(positions), indices: new Uint32Array(indices) };
}
