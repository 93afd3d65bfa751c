// Leaves out the parts of three.js that the page does not use: lit materials, shadows, headsets, environment maps. The
// modules stay where they are; what they would compute is empty.

import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("./node_modules/three/src/", import.meta.url));

/** Pieces of shaders that the page's materials are made of. All others stand behind conditions that are never met. */
const CHUNKS = [
  "begin_vertex",
  "color_fragment",
  "color_pars_fragment",
  "color_pars_vertex",
  "color_vertex",
  "colorspace_fragment",
  "colorspace_pars_fragment",
  "common",
  "opaque_fragment",
  "premultiplied_alpha_fragment",
  "project_vertex",
];

/** Whole shaders: flat meshes and thin lines, and points. */
const SHADERS = ["meshbasic", "points"];

const STUBS = {
  "renderers/webxr/WebXRManager.js": `export class WebXRManager {
    enabled = false; isPresenting = false; cameraAutoUpdate = false;
    addEventListener() {} removeEventListener() {} setAnimationLoop() {} dispose() {} hasDepthSensing() { return false; }
    getEnvironmentBlendMode() {} }`,
  "renderers/webgl/WebGLShadowMap.js": `export class WebGLShadowMap { enabled = false; autoUpdate = false; needsUpdate = false; type = 0; render() {} }`,
  "renderers/webgl/WebGLEnvironments.js": `export class WebGLEnvironments { get() { return null; } dispose() {} }`,
  "renderers/webgl/WebGLMorphtargets.js": `export class WebGLMorphtargets { update() {} }`,
};

function emptied(path) {
  const name = path.split("/").at(-1).replace(".glsl.js", "");
  if (path.includes("/ShaderChunk/") && !CHUNKS.includes(name)) return 'export default "";';
  if (path.includes("/ShaderLib/") && !SHADERS.includes(name)) return 'export const vertex = "", fragment = "";';
  return null;
}

const isShader = (path) => path.endsWith(".glsl.js");

/** Comments and indents of shaders. */
const tight = (text) =>
  text
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/[ \t]*\/\/[^\n]*/g, "")
    .replace(/\n\s+/g, "\n");

export const slim = {
  name: "slim",
  setup(build) {
    build.onResolve({ filter: /^three$/ }, () => ({ path: `${root}Three.js`, sideEffects: false }));
    build.onLoad({ filter: /[\\/]three[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const place = path.replaceAll("\\", "/").slice(root.length);
      const contents = STUBS[place] ?? (isShader(place) ? emptied(`/${place}`) : null);
      if (contents !== null) return { contents };
      if (!isShader(place)) return null;
      const { readFile } = await import("node:fs/promises");
      return { contents: tight(await readFile(path, "utf8")) };
    });
  },
};
