/**
 * What a visitor has to load: bytes as they are, and compressed as servers send them. The aim is 1 MB and 250 kB; the
 * exact kernels of every shape and three.js are twice as much compressed, and what the page has reached must not grow.
 */
export const TARGET = { raw: 1_000_000, gzip: 250_000 };
export const LIMIT = { raw: 790_000, gzip: 590_000 };
