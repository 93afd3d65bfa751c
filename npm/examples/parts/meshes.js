// 1,000 meshes of five geometries for picking: 500 plain ones and 500 instances. It needs no page, so that a test can build it too.

import * as THREE from "three";

const NAMES = ["knot", "ball", "ring", "cone", "box"];
const WHITE = new THREE.Color(1, 1, 1);

/** A block of 10 × 10 × 10 places. Every second layer of it has instances, one instanced mesh for each geometry. */
export function makeMeshes() {
  const group = new THREE.Group();
  const geometries = [
    new THREE.TorusKnotGeometry(0.26, 0.09, 72, 9),
    new THREE.IcosahedronGeometry(0.38, 4),
    new THREE.TorusGeometry(0.28, 0.12, 12, 24),
    new THREE.ConeGeometry(0.34, 0.7, 48),
    new THREE.BoxGeometry(0.5, 0.5, 0.5),
  ];
  const instanced = geometries.map((geometry, kind) => {
    const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshLambertMaterial(), 100);
    mesh.name = NAMES[kind];
    mesh.count = 0;
    group.add(mesh);
    return mesh;
  });
  const place = new THREE.Object3D();
  for (let i = 0; i < 1000; i++) {
    const kind = (i * 7) % 5;
    const layer = Math.floor(i / 100);
    const color = new THREE.Color().setHSL(0.52 + 0.03 * layer, 0.5, 0.42 + 0.03 * kind);
    place.position.set((i % 10) - 4.5, (Math.floor(i / 10) % 10) - 4.5, layer - 4.5);
    place.rotation.set(i, 2 * i, 3 * i);
    if (layer % 2 === 0) {
      const mesh = new THREE.Mesh(geometries[kind], new THREE.MeshLambertMaterial({ color }));
      mesh.name = `${NAMES[kind]} ${i}`;
      mesh.position.copy(place.position);
      mesh.rotation.copy(place.rotation);
      group.add(mesh);
    } else {
      place.updateMatrix();
      const mesh = instanced[kind];
      mesh.setMatrixAt(mesh.count, place.matrix);
      mesh.setColorAt(mesh.count, color);
      mesh.count++;
    }
  }
  group.updateMatrixWorld();
  return group;
}

/** The name of what was hit. */
export const nameOf = ({ object, instanceId }) => (instanceId === undefined ? object.name : `instance ${instanceId} of the ${object.name}`);

/** The unit normal of the triangle in the world. The matrices only turn and move, so that they may turn the normal, too. */
export function normalOf({ object, instanceId, face }) {
  const matrix = object.matrixWorld.clone();
  if (instanceId !== undefined) {
    const own = new THREE.Matrix4();
    object.getMatrixAt(instanceId, own);
    matrix.multiply(own);
  }
  return face.normal.clone().transformDirection(matrix);
}

/** Gives what was hit another colour; returns a function that gives it its own one back. */
export function highlight({ object, instanceId }, color) {
  if (instanceId === undefined) {
    const before = object.material.color.clone();
    object.material.color.set(color);
    return () => object.material.color.copy(before);
  }
  const before = new THREE.Color().copy(WHITE);
  object.getColorAt(instanceId, before);
  const set = (to) => {
    object.setColorAt(instanceId, to);
    object.instanceColor.needsUpdate = true;
  };
  set(new THREE.Color(color));
  return () => set(before);
}

/** The intersections by the raycasts of three.js alone: those of the classes in place of those of the objects. */
export function castByThreeAlone(group, raycaster) {
  const hits = [];
  for (const object of group.children) {
    const { raycast } = (object.isInstancedMesh ? THREE.InstancedMesh : THREE.Mesh).prototype;
    raycast.call(object, raycaster, hits);
  }
  return hits.sort((a, b) => a.distance - b.distance);
}
