// The query as Rust, as a command line and as Python: each prints the numbers of the page.

import type { Vec } from "./schema.js";
import { type RayState, type Scene, type Shape } from "./state.js";
import { decimal, layerMask, sceneToml } from "./toml.js";
import { columnsOf } from "./transform.js";

/** The arguments of `hitscan cast`, apart from the scene. */
export function castArguments(ray: RayState, query: "first" | "all" = "first"): string[] {
  const numbers = (...points: Vec[]): string => points.flat().map(decimal).join(",");
  const cast =
    ray.kind === "segment"
      ? ["--segment", numbers(ray.origin, ray.tip)]
      : ["--ray", numbers(ray.origin, ray.direction)];
  const limit = (name: string, t: number | null): string[] => (t === null ? [] : [name, limitText(t)]);
  return [
    ...cast,
    ...limit("--t-min", ray.t_min),
    ...limit("--t-max", ray.t_max),
    ...(ray.inside === "hollow" ? ["--origin", "hollow"] : []),
    ...(ray.faces === "both" ? [] : ["--faces", ray.faces]),
    ...(query === "all" ? ["--query", "all"] : []),
    "--precision",
    "f64",
  ];
}

const limitText = (t: number): string => (Number.isFinite(t) ? decimal(t) : t > 0 ? "inf" : "-inf");

const meshesOf = (shapes: Shape[]): string[] => [
  ...new Set(shapes.filter((shape) => shape.placement).map((shape) => shape.fields["file"] as string)),
];

export function commandLine(scene: Scene, allHits: boolean): string {
  const meshes = meshesOf(scene.shapes);
  return [
    ...(meshes.length ? [`# With ${meshes.join(", ")} in this folder (Save writes them).`] : []),
    "cat > scene.toml <<'END'",
    `${sceneToml(scene.dimension, scene.shapes)}END`,
    `hitscan cast scene.toml ${castArguments(scene.ray, allHits ? "all" : "first").join(" ")}`,
    "",
  ].join("\n");
}

export function python(scene: Scene, allHits: boolean): string {
  const meshes = meshesOf(scene.shapes);
  const words = castArguments(scene.ray, allHits ? "all" : "first").map((word) => JSON.stringify(word));
  return [
    "# There is no Python package yet: this calls the program and reads its answers.",
    "import json, pathlib, subprocess",
    "",
    ...(meshes.length ? [`# With ${meshes.join(", ")} in this folder (Save writes them).`] : []),
    `scene = ${pythonText(sceneToml(scene.dimension, scene.shapes))}`,
    'pathlib.Path("scene.toml").write_text(scene)',
    `command = ["hitscan", "cast", "scene.toml", ${words.join(", ")}, "--format", "jsonl"]`,
    "answers = subprocess.run(command, check=True, capture_output=True, text=True).stdout",
    "for line in answers.splitlines():",
    "    print(json.loads(line))",
    "",
  ].join("\n");
}

/** A text of Python: as it is, or with JSON's escapes where it would end too early. */
const pythonText = (text: string): string => (text.includes("'''") ? JSON.stringify(text) : `r'''${text}'''`);

/** A number of Rust: always with a point or an exponent. */
function real(x: number): string {
  if (x === Infinity) return "f64::INFINITY";
  if (x === -Infinity) return "f64::NEG_INFINITY";
  const text = decimal(x);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Rust constructor of each kind, and the fields it takes in order. */
const MAKERS: Record<string, [string, string[]]> = {
  sphere: ["Sphere", ["center", "radius"]],
  circle: ["Circle", ["center", "radius"]],
  box: ["Cuboid", ["center", "half_extents"]],
  rectangle: ["Rectangle", ["center", "half_extents"]],
  capsule: ["Capsule", ["a", "b", "radius"]],
  cylinder: ["Cylinder", ["a", "b", "radius"]],
  cone: ["Cone", ["base", "apex", "radius"]],
  frustum: ["Frustum", ["a", "b", "radius_a", "radius_b"]],
  ellipsoid: ["Ellipsoid", ["center", "radii"]],
  ellipse: ["Ellipse", ["center", "radii"]],
  half_space: ["HalfSpace", ["point", "normal"]],
  half_plane: ["HalfPlane", ["point", "normal"]],
  plane: ["Plane", ["point", "normal"]],
  line: ["Line", ["point", "normal"]],
  disk: ["Disk", ["center", "normal", "radius"]],
  triangle: ["Triangle", ["a", "b", "c"]],
  polygon: ["ConvexPolygon", ["vertices"]],
  segment: ["SegmentShape", ["a", "b"]],
};

export function rust(scene: Scene, allHits: boolean): string {
  const { dimension, ray, shapes } = scene;
  const vector = dimension === 2 ? "DVec2" : "DVec3";
  const vec = (v: Vec): string => `${vector}::new(${v.map(real).join(", ")})`;
  const names = new Set(["RayCast"]);
  const use = (name: string): string => {
    names.add(name);
    return name;
  };
  const value = (x: unknown): string =>
    typeof x === "number"
      ? real(x)
      : Array.isArray(x) && typeof x[0] === "number"
        ? vec(x as Vec)
        : `[${(x as Vec[]).map(vec).join(", ")}]`;
  const made = ({ type, fields }: Shape): string => {
    const [name, keys] = MAKERS[type]!;
    const given = keys.map((key) => value(fields[key])).join(", ");
    const axes = fields["axes"] && `&${value(fields["axes"])}`;
    if (type === "polygon") return `${use(name)}::new(vec!${given})?`;
    if (type === "triangle" && dimension === 2) return `${use("Triangle2")}::new(${given})?`;
    if (!axes) return `${use(name)}::new(${given})?`;
    const oriented = type === "box" || type === "rectangle" ? "OrientedBox" : name;
    return `${use(oriented)}::with_axes(${given}, ${axes})?`;
  };
  const transform = (matrix: Vec[]): string => {
    const columns = columnsOf(matrix).map(vec);
    return `${use("Transform")}::new([${columns.slice(0, -1).join(", ")}], ${columns.at(-1)!})?`;
  };
  const lines = meshesOf(shapes).length
    ? [`    let scene = hitscan_io::SceneFile::open("scene.toml".as_ref())?.build::<${vector}>()?;`]
    : [
        `    let mut builder = ${use("SceneBuilder")}::<${vector}>::new();`,
        ...shapes.map((shape) => {
          const name = shape.name ? `.named(${rustText(shape.name)})` : "";
          const mask = layerMask(shape.layers);
          const layers = mask === 1 ? "" : `.on_layers(${mask})`;
          const place = shape.matrix ? `.with_transform(${transform(shape.matrix)})` : "";
          return `    builder.insert(${use("Object")}::new(${made(shape)})${place}${name}${layers})?;`;
        }),
        "    let scene = builder.build();",
      ];
  const cast =
    ray.kind === "segment"
      ? `${use("Segment")}::new(${vec(ray.origin)}, ${vec(ray.tip)})`
      : `${use("Ray")}::new(${vec(ray.origin)}, ${vec(ray.direction)})`;
  const query = queryOf(ray, use);
  const print =
    'println!("t {} distance {} point {} normal {} {:?}", hit.t, hit.distance, hit.point, hit.normal, hit.side);';
  const output = allHits
    ? [`    for hit in scene.cast_ray_all(&ray, ${query}) {`, `        ${print}`, "    }"]
    : [
        `    match scene.cast_ray(&ray, ${query}) {`,
        `        Some(hit) => ${print.slice(0, -1)},`,
        '        None => println!("miss"),',
        "    }",
      ];
  const body = [...lines, `    let ray = ${cast};`, ...output];
  return [
    ...(meshesOf(shapes).length
      ? ["// scene.toml and its meshes are what Save writes; needs the crate hitscan-io."]
      : []),
    `use hitscan::{${[...names].sort().join(", ")}, glam::${vector}};`,
    "",
    "fn main() -> Result<(), Box<dyn std::error::Error>> {",
    ...body,
    "    Ok(())",
    "}",
    "",
  ].join("\n");
}

function queryOf(ray: RayState, use: (name: string) => string): string {
  const { t_min, t_max } = ray;
  if (ray.inside === "solid" && ray.faces === "both" && t_min === null)
    return t_max === null ? ".." : `..=${real(t_max)}`;
  const parts = [`${use("Query")}::new()`];
  if (t_min !== null || t_max !== null)
    parts.push(`.range(${real(t_min ?? 0)}, ${t_max === null ? "f64::MAX" : real(t_max)})`);
  if (ray.inside === "hollow") parts.push(`.inside(${use("Inside")}::Hollow)`);
  if (ray.faces !== "both") parts.push(`.faces(${use("Faces")}::${ray.faces === "front" ? "Front" : "Back"})`);
  return parts.join("");
}

/** A text of Rust: JSON's escapes, but for its four digits of code points. */
const rustText = (text: string): string =>
  JSON.stringify(text)
    .replace(/\\u([0-9a-f]{4})/g, "\\u{$1}")
    .replace(/\\([bf])/g, (_, c) => (c === "b" ? "\\x08" : "\\x0c"));
