/** Objects of three.js that each call uses again. */
import { Matrix4, Mesh, Ray } from "three";

export const inverse = new Matrix4();
export const localRay = new Ray();
export const scratch = new Mesh();
/** The geometry of `scratch` between calls. */
export const EMPTY = scratch.geometry;
