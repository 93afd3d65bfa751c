// A terrain with obstacles for walking, as one geometry. It needs no page, so that a test can build it too.

import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { makeTerrain } from "./terrain.js";

const SIZE = 48;
const GRASS = [new THREE.Color(0x6f9a5f), new THREE.Color(0x5f8a52)];
const STONE = new THREE.Color(0xb9a58c);
const WALL = new THREE.Color(0x8d93a8);

/** One color for all vertices. */
function paint(geometry, { r, g, b }) {
  const colors = new Float32Array(geometry.attributes.position.count * 3);
  for (let i = 0; i < colors.length; i += 3) colors.set([r, g, b], i);
  return geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
}

/** A box that stands on a height: its size, and the middle of its bottom. */
const box = ([width, height, depth], [x, y, z], color, turn = 0) =>
  paint(new THREE.BoxGeometry(width, height, depth).rotateY(turn).translate(x, y + height / 2, z), color);

/** Terrain, stairs up to a platform with a ramp down, pillars, blocks, and a fence around all. */
export function makeCourse() {
  const { positions, indices } = makeTerrain({ size: SIZE, cells: 96, height: 1.6 });
  const ground = new THREE.BufferGeometry();
  ground.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  ground.setAttribute("uv", new THREE.BufferAttribute(new Float32Array((positions.length / 3) * 2), 2));
  ground.setIndex(new THREE.BufferAttribute(indices, 1));
  ground.computeVertexNormals();
  const parts = [paint(ground, GRASS[0])];
  // Squares of 2 m in two greens, by which one sees how fast the ball moves.
  const { color } = ground.attributes;
  for (let i = 0; i < color.count; i++) {
    const square = Math.floor(positions[3 * i] / 2) + Math.floor(positions[3 * i + 2] / 2);
    color.setXYZ(i, ...GRASS[square & 1].toArray());
  }
  // Stairs of 14 steps, each 0.22 m high, from in front of the start; their boxes reach down into the ground.
  for (let i = 1; i <= 14; i++) parts.push(box([3, 2 + 0.22 * i, 0.5], [0, -2, 2.5 - 0.5 * i], STONE));
  parts.push(box([5, 5.08, 4], [0, -2, -6.75], STONE));
  // The ramp: a box that is turned about its upper edge.
  parts.push(paint(new THREE.BoxGeometry(3, 0.4, 12).translate(0, -0.2, -6).rotateX(-0.42).translate(0, 3.08, -8.7), STONE));
  for (let i = 0; i < 6; i++) {
    parts.push(paint(new THREE.CylinderGeometry(0.6, 0.6, 7, 24).translate(6 + 2.4 * (i % 2), 1.5, 6 - 2.6 * i), WALL));
    parts.push(box([1.6, 4, 1.6], [-7 - 2.1 * (i % 3), -2.2, 7 - 3 * i], WALL, i));
  }
  for (const [x, z, turn] of [[0, -SIZE / 2, 0], [0, SIZE / 2, 0], [-SIZE / 2, 0, 1], [SIZE / 2, 0, 1]]) {
    parts.push(box([SIZE, 6, 0.6], [x, -3, z], WALL, (turn * Math.PI) / 2));
  }
  return mergeGeometries(parts);
}
