// The query as Rust, as a command line and as Python: each prints the numbers of the page.

import type { Value, Vec } from "./schema.js";
import { type QueryKind, type QueryState, type RayState, type Scene, type Shape } from "./state.js";
import { decimal, layerMask, sceneToml } from "./toml.js";
import { columnsOf } from "./transform.js";

const numbers = (...points: Vec[]): string => points.flat().map(decimal).join(",");

/** The arguments of the program after the scene, and its command; null for a volume that the program does not take. */
function programArguments(scene: Scene, allHits: boolean): { command: string; words: string[] } | null {
  const { ray, query } = scene;
  const { kind, point, max_distance, radius, volume } = query;
  const precise = ["--precision", "f64"];
  if (kind === "closest") {
    const limit = max_distance === null ? [] : ["--max-distance", limitText(max_distance)];
    return { command: "distance", words: ["--point", numbers(point), ...limit, ...precise] };
  }
  if (kind === "sweep")
    return { command: "cast", words: [...castArguments(ray), "--thick", decimal(radius), ...precise] };
  if (kind === "ray")
    return { command: "cast", words: [...castArguments(ray), ...(allHits ? ["--query", "all"] : []), ...precise] };
  const { center, radius: size, half_extents, axes } = volume.fields as Record<string, Vec>;
  if (!center || axes) return null;
  const given = half_extents
    ? ["--box", numbers(center, half_extents)]
    : ["--sphere", numbers(center, [size].flat() as Vec)];
  return { command: "overlap", words: [...given, "--query", "all", ...precise] };
}

/** Why there is no command. */
const NO_COMMAND = "# The program takes spheres and boxes along the axes as volumes; Rust takes this one.";

/** The ray and the rules of `hitscan cast`. */
function castArguments(ray: RayState): string[] {
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
  ];
}

const limitText = (t: number): string => (Number.isFinite(t) ? decimal(t) : t > 0 ? "inf" : "-inf");

const meshesOf = (shapes: Shape[]): string[] => [
  ...new Set(shapes.filter((shape) => shape.placement).map((shape) => shape.fields["file"] as string)),
];

export function commandLine(scene: Scene, allHits: boolean): string {
  const meshes = meshesOf(scene.shapes);
  const program = programArguments(scene, allHits);
  if (!program) return `${NO_COMMAND}\n`;
  return [
    ...(meshes.length ? [`# With ${meshes.join(", ")} in this folder (Save writes them).`] : []),
    "cat > scene.toml <<'END'",
    `${sceneToml(scene.dimension, scene.shapes)}END`,
    `hitscan ${program.command} scene.toml ${program.words.join(" ")}`,
    "",
  ].join("\n");
}

export function python(scene: Scene, allHits: boolean): string {
  const { ray, query } = scene;
  const meshes = meshesOf(scene.shapes);
  const { lines, shown } = pythonQuery[query.kind](ray, query, allHits);
  return [
    "import pathlib",
    "import hitscan",
    "",
    ...(meshes.length ? [`# With ${meshes.join(", ")} in this folder (Save writes them).`] : []),
    `text = ${pythonText(sceneToml(scene.dimension, scene.shapes))}`,
    'pathlib.Path("scene.toml").write_text(text)',
    'scene = hitscan.load("scene.toml", dtype="float64")',
    ...lines,
    ...shown.map(([name, value]) => `print(${JSON.stringify(name)}, ${value})`),
    "",
  ].join("\n");
}

/** The lines of Python that ask, and what they print: names and expressions. */
interface PythonQuery {
  lines: string[];
  shown: [string, string][];
}

const pythonQuery: Record<QueryKind, (ray: RayState, query: QueryState, allHits: boolean) => PythonQuery> = {
  ray: (ray, _, allHits) => {
    const fields: [string, string][] = ["t", "distance", "point", "normal", "front", "object"].map((name) => [
      name,
      `hits.${name}${allHits ? ".tolist()" : ""}`,
    ]);
    const method = allHits ? "cast_all" : "cast";
    const lines = [`hits = scene.${method}(${[...pythonRay(ray), 'fields="all"'].join(", ")})${allHits ? ".hits" : ""}`];
    return { lines, shown: fields };
  },
  closest: (_, { point, max_distance }) => {
    const limit = max_distance === null ? [] : [`max_distance=${pythonValue(max_distance)}`];
    return {
      lines: [
        `point = ${pythonValue(point)}`,
        `found = scene.closest_point(${["point", ...limit].join(", ")})`,
      ],
      shown: [
        ["distance", "found.distance"],
        ["point", "found.point"],
        ["object", "found.object"],
        ["signed distance", "scene.signed_distance(point)"],
      ],
    };
  },
  sweep: (ray, { radius }) => ({
    // The rules for rays that start inside, and faces, are those of rays without a thickness.
    lines: [
      `contact = scene.cast_sphere(${[...pythonRay({ ...ray, inside: "solid", faces: "both" }), `radius=${decimal(radius)}`].join(", ")})`,
    ],
    shown: ["t", "distance", "center", "point", "normal", "depth"].map((name) => [name, `contact.${name}`]),
  }),
  overlap: (_, { volume }) => ({
    lines: [`volume = ${pythonShape(volume)}`],
    shown: [
      ["count", "scene.count_overlapping(volume)"],
      ["objects", "scene.overlapping(volume).object.tolist()"],
    ],
  }),
};

/** The arguments of a query for the ray and its rules. */
function pythonRay({ kind, origin, direction, tip, t_min, t_max, inside, faces }: RayState): string[] {
  const limit = (name: string, t: number | null): string[] => (t === null ? [] : [`${name}=${pythonValue(t)}`]);
  return [
    pythonValue(origin),
    kind === "segment" ? `ends=${pythonValue(tip)}` : pythonValue(direction),
    ...limit("t_min", t_min),
    ...limit("t_max", t_max),
    ...(inside === "hollow" ? ['inside="hollow"'] : []),
    ...(faces === "both" ? [] : [`faces="${faces}"`]),
  ];
}

/** A shape of Python: the class has the name of the kind, and its parameters those of the fields. */
function pythonShape({ type, fields }: Shape): string {
  const name = type.replace(/(^|_)(.)/g, (_, _bar, letter: string) => letter.toUpperCase());
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return `hitscan.${name}(${given.map(([key, value]) => `${key}=${pythonValue(value)}`).join(", ")})`;
}

/** A number, a point or points of Python. */
function pythonValue(value: Value): string {
  if (Array.isArray(value)) return `(${value.map((one) => pythonValue(one as Value)).join(", ")})`;
  if (typeof value !== "number") return JSON.stringify(value);
  return Number.isFinite(value) ? decimal(value) : `float("${value > 0 ? "inf" : "-inf"}")`;
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
  tapered_capsule: ["TaperedCapsule", ["a", "b", "radius_a", "radius_b"]],
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
  const { dimension, ray, shapes, query } = scene;
  const vector = dimension === 2 ? "DVec2" : "DVec3";
  const vec = (v: Vec): string => `${vector}::new(${v.map(real).join(", ")})`;
  const names = new Set<string>();
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
  const cast = (): string =>
    ray.kind === "segment"
      ? `${use("Segment")}::new(${vec(ray.origin)}, ${vec(ray.tip)})`
      : `${use("Ray")}::new(${vec(ray.origin)}, ${vec(ray.direction)})`;
  const print = (format: string, values: string): string => `println!("${format}", ${values})`;
  const match = (asked: string, found: string, none: string): string[] => [
    `    match ${asked} {`,
    `        Some(hit) => ${found},`,
    `        None => println!("${none}"),`,
    "    }",
  ];
  /** The lines that ask, and print the answer. */
  const asking: Record<QueryKind, () => string[]> = {
    ray: () => {
      const hit = print(
        "t {} distance {} point {} normal {} {:?}",
        "hit.t, hit.distance, hit.point, hit.normal, hit.side",
      );
      use("RayCast");
      const range = queryOf(ray, use);
      return [
        `    let ray = ${cast()};`,
        ...(allHits
          ? [`    for hit in scene.cast_ray_all(&ray, ${range}) {`, `        ${hit};`, "    }"]
          : match(`scene.cast_ray(&ray, ${range})`, hit, "miss")),
      ];
    },
    closest: () => {
      use("PointQuery");
      const limit = query.max_distance === null ? "f64::INFINITY" : real(query.max_distance);
      const hit = print("distance {} point {} {:?}", "hit.distance, hit.point, hit.feature");
      return [
        `    let point = ${vec(query.point)};`,
        ...match(`scene.try_closest_point_within(point, ${limit})?`, hit, "miss"),
        `    ${print("signed distance {:?}", "scene.signed_distance(point)")};`,
      ];
    },
    sweep: () => {
      use("SweepQuery");
      const hit = print(
        "t {} distance {} center {} point {} normal {} {:?} depth {:?}",
        "hit.t, hit.distance, hit.center, hit.point, hit.normal, hit.feature, hit.depth",
      );
      return [
        `    let ray = ${cast()};`,
        ...match(`scene.try_cast_sphere(&ray, ${real(query.radius)}, ${queryOf(ray, use)})?`, hit, "miss"),
      ];
    },
    overlap: () => {
      use("OverlapQuery");
      const name = "overlap.object.and_then(|id| scene.get(id)?.name())";
      return [
        `    let volume = ${made(query.volume)};`,
        `    println!("count {}", scene.count_overlapping(volume));`,
        "    for overlap in scene.overlapping(volume) {",
        `        ${print("overlaps {:?}", name)};`,
        "    }",
      ];
    },
  };
  const body = [...lines, ...asking[query.kind]()];
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
