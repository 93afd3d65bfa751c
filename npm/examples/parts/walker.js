// A ball that walks on a mesh by sphere casts: it slides along what it meets, rolls over low steps, falls and jumps.

export const RADIUS = 0.4;
/** Seconds of one step. */
export const STEP = 1 / 60;
/** The highest step that the ball rolls over. It must be lower than the center of the ball, which meets a higher one as a wall. */
const STEP_HEIGHT = 0.3;
/** The steepest ground to walk on is 50°: the y of its unit normal. */
const FLOOR = 0.64;
const SPEED = 5;
const JUMP = 6;
const GRAVITY = 15;
/** The gap that the ball keeps from the mesh, so that the next cast does not begin in a contact. It is far above the rounding of f32. */
const GAP = 0.005;
const DOWN = [0, -1, 0];

const add = (a, b, factor = 1) => [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scale = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const lengthOf = (a) => Math.sqrt(dot(a, a));

export class Walker {
  constructor(mesh, center) {
    this.mesh = mesh;
    this.center = center;
    /** The speed upward. */
    this.rise = 0;
    this.isOnGround = false;
    /** How many sphere casts the last step took. */
    this.casts = 0;
  }

  /** Moves by one step of time: `x` and `z` are the direction in which to walk, of length 0 or 1. */
  step({ x, z, jump }) {
    this.casts = 0;
    if (jump && this.isOnGround) {
      this.rise = JUMP;
      this.isOnGround = false;
    }
    if (x !== 0 || z !== 0) this.slide([x * SPEED * STEP, 0, z * SPEED * STEP], (contact) => this.along(contact));
    if (this.isOnGround) this.followGround();
    if (!this.isOnGround) this.fall();
  }

  /** The first contact on a way, if the ball reaches it up to the gap. */
  castTo(motion) {
    this.casts++;
    const length = lengthOf(motion);
    return this.mesh.castSphere(this.center, motion, RADIUS, { tMax: 1 + (4 * GAP) / length });
  }

  /** Moves the center, and where the ball meets something, goes on in the plane that `normalOf` makes of the contact. */
  slide(motion, normalOf) {
    let before = null;
    // Four planes are enough for a corner of three with one more try; what is left of the way is lost.
    for (let i = 0; i < 4 && lengthOf(motion) > 1e-3 * GAP; i++) {
      const contact = this.castTo(motion);
      if (!contact) {
        this.center = add(this.center, motion);
        return;
      }
      // A ball that reaches into the mesh at first leaves it, and tries again.
      if (contact.depth !== null && contact.depth > 0) this.center = add(this.center, contact.normal, contact.depth + GAP);
      else motion = this.advance(motion, contact);
      const length = lengthOf(motion);
      const normal = normalOf(contact);
      const into = dot(motion, normal);
      if (into < 0) motion = add(motion, normal, -into);
      // Between two planes only the line in which they meet is left.
      if (before && dot(motion, before) < 0) {
        const edge = cross(before, normal);
        const squared = dot(edge, edge);
        motion = squared > 0 ? scale(edge, dot(motion, edge) / squared) : [0, 0, 0];
      }
      // Walking up costs no speed.
      const slid = lengthOf(motion);
      if (this.isOnGround && contact.normal[1] > 0 && normal[1] > 0 && slid > 0) motion = scale(motion, length / slid);
      before = normal;
    }
  }

  /** Moves up to the gap before a contact; returns the rest of the way. The gap counts along the normal of the contact. */
  advance(motion, contact) {
    const approach = -dot(motion, contact.normal);
    const share = approach > 0 ? Math.min(1, Math.max(0, contact.t - GAP / approach)) : 0;
    this.center = add(this.center, motion, share);
    return scale(motion, 1 - share);
  }

  /** The plane of a contact while walking: floors and low steps as they are, walls upright, so that nobody climbs them. */
  along(contact) {
    const [x, y, z] = contact.normal;
    if (this.isFloor(contact)) return contact.normal;
    const length = Math.sqrt(x * x + z * z);
    return length > 0 ? [x / length, 0, z / length] : [0, Math.sign(y), 0];
  }

  /** Whether the ball can stand at a contact: on a floor, or on the edge of a low step behind which there is floor. */
  isFloor({ normal, point }) {
    if (normal[1] >= FLOOR) return true;
    const foot = this.center[1] - RADIUS;
    if (normal[1] <= 0 || point[1] > foot + STEP_HEIGHT) return false;
    // Straight down, just behind the edge.
    const behind = add(point, [-normal[0] * 0.02, STEP_HEIGHT, -normal[2] * 0.02]);
    const floor = this.mesh.cast(behind, DOWN, { tMax: 2 * STEP_HEIGHT });
    return floor !== null && floor.normal[1] >= FLOOR && floor.point[1] <= foot + STEP_HEIGHT;
  }

  /** Stays on the ground where it goes down by less than a step. */
  followGround() {
    this.casts++;
    const contact = this.mesh.castSphere(this.center, DOWN, RADIUS, { tMax: STEP_HEIGHT + GAP });
    this.isOnGround = contact !== null && this.isFloor(contact);
    if (this.isOnGround) this.center = add(this.center, DOWN, contact.t - GAP);
  }

  /** Falls or rises, and slides down along what is too steep. */
  fall() {
    this.rise -= GRAVITY * STEP;
    const from = this.center[1];
    let landed = false;
    this.slide([0, this.rise * STEP, 0], (contact) => {
      landed ||= this.rise <= 0 && this.isFloor(contact);
      return landed ? [0, 1, 0] : contact.normal;
    });
    // What stops the ball takes its speed: a floor, a ceiling, a slope.
    const moved = (this.center[1] - from) / STEP;
    this.isOnGround = landed;
    this.rise = landed ? 0 : Math.min(Math.max(moved, Math.min(0, this.rise)), Math.max(0, this.rise));
  }
}
