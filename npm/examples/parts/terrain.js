// A terrain of hills: a grid of triangles whose heights are sums of waves. It needs no page, so that a test can build it too.

/** Positions and indices of a square terrain around the origin, with `cells` × `cells` squares and hills of this height. */
export function makeTerrain({ size, cells, height }) {
  const positions = new Float32Array(3 * (cells + 1) ** 2);
  const indices = new Uint32Array(6 * cells ** 2);
  const heightAt = (x, z) => {
    const [u, v] = [(x / size) * 8, (z / size) * 8];
    return height * (0.5 * Math.sin(u + 0.6 * Math.sin(v)) * Math.cos(0.8 * v) + 0.3 * Math.sin(2.1 * u - v + 1) + 0.2 * Math.cos(1.7 * v + 2 * u));
  };
  for (let row = 0, at = 0; row <= cells; row++) {
    for (let column = 0; column <= cells; column++, at += 3) {
      const [x, z] = [(column / cells - 0.5) * size, (row / cells - 0.5) * size];
      positions.set([x, heightAt(x, z), z], at);
    }
  }
  for (let row = 0, at = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++, at += 6) {
      const a = row * (cells + 1) + column;
      const c = a + cells + 1;
      indices.set([a, c, a + 1, a + 1, c, c + 1], at);
    }
  }
  return { positions, indices };
}

/** Points spread evenly over a square around the origin, in a fixed order: x and z of each. */
export function spread(count, size) {
  // The sequence R2 of Martin Roberts (2018): its steps are powers of 1 / p, where p is the real root of p³ = p + 1.
  const p = 1.324717957244746;
  return Array.from({ length: count }, (_, i) => [1 / p, 1 / p ** 2].map((step) => (((0.5 + step * (i + 1)) % 1) - 0.5) * size));
}
