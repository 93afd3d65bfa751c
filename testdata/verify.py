#!/usr/bin/env python3
"""Proves the corpus: recomputes every expected answer and compares. Standard library only.

    python3 testdata/verify.py [FILE.toml ...]      prints cases and mismatches per file; exits 1 on a mismatch

Method (none of the library's formulas, nothing shared with the oracle):
* every input is taken as the exact decimal that is written; it must equal its f32 (or f64) value;
* `contains(shape)` says in rational arithmetic (fractions.Fraction) whether a point is in the closed solid,
  straight from the definition; hit or miss, ties included, is a question of that function only;
* `features(shape)` lists polynomials of degree <= 2 whose zero sets hold the whole boundary. Their values along
  the line are sampled, not derived; sign changes and turning points give sample points, one in every stretch of
  the line, so that no stretch of the solid, not even a single point of contact, is overlooked;
* entry and exit are then bisected with `contains` to 70 digits; an end point that bisection never moves is exact;
* a normal must be parallel to the gradient (exact differences) of the one feature that is zero at the hit, point out
  of the solid, and, as a second proof, carry a plane that no point of the solid lies beyond (support function);
* surfaces: the crossing of the plane from two samples, membership by solving for the coordinates in the surface.
Numbers must agree to 1e-22 relative; one that is written without quotes claims to be exact, and must be.
"""
import concurrent.futures
import pathlib
import struct
import sys
import tomllib
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 120
INF = float("inf")
KEYS = {"name", "shape", "ray", "segment", "t_min", "t_max", "origin", "faces", "precision", "inside", "first", "all", "span"}
SURFACES = {"plane", "line", "disk", "triangle3", "quad", "segment"}
SCHEMA = {  # the parameters of each type; those in brackets may be left out
    2: {"circle": "center radius", "line": "point normal", "half_plane": "point normal", "segment": "a b",
        "rectangle": "center half_extents [axes]", "capsule": "a b radius", "triangle": "a b c", "polygon": "vertices",
        "tapered_capsule": "a b radius_a radius_b",
        "ellipse": "center radii [axes]"},
    3: {"sphere": "center radius", "plane": "point normal", "half_space": "point normal", "disk": "center normal radius",
        "box": "center half_extents [axes]", "capsule": "a b radius", "cylinder": "a b radius", "cone": "base apex radius",
        "tapered_capsule": "a b radius_a radius_b", "frustum": "a b radius_a radius_b",
        "ellipsoid": "center radii [axes]", "triangle": "a b c", "quad": "corner edge_u edge_v"},
}


class Wrong(Exception):
    pass


def check(ok, what):
    if not ok:
        raise Wrong(what)


# ---- numbers ----------------------------------------------------------------------------------

def number(x):
    """a TOML number as Fraction, or as float when it is nan or infinite"""
    if isinstance(x, int):
        return F(x)
    return F(x) if x.is_finite() else float(x)


def representable(x, precisions):
    if not isinstance(x, F):
        return True
    try:
        if F(float(x)) != x:
            return False
        return "f32" not in precisions or F(struct.unpack("f", struct.pack("f", float(x)))[0]) == x
    except OverflowError:
        return False


def exact(x, precisions, path=""):
    if isinstance(x, dict):
        return {k: exact(v, precisions, path + "." + k) for k, v in x.items()}
    if isinstance(x, list):
        return [exact(v, precisions, path) for v in x]
    if isinstance(x, str):
        return x
    out = number(x)
    check(representable(out, precisions), f"{path[1:]}: {x} is not exactly a number of {precisions}")
    return out


def finite(v):
    return all(isinstance(x, F) for x in v)


def same(text, value):
    """does an expected number (number, or digits in a string) stand for this value?"""
    if isinstance(text, str):
        digits = text.lstrip("-").replace(".", "").lstrip("0")
        got = F(Decimal(text))
        check(len(digits) >= 25 or abs(got - value) <= abs(value) / 10**60, f"{text}: too few digits, should be {show(value)}")
        return abs(got - value) <= F(1, 10**22) * abs(value)
    got = number(text)
    if not isinstance(got, F) or not isinstance(value, F):
        return got == value
    return abs(got - value) <= F(1, 10**40)


def show(value):
    if not isinstance(value, F):
        return str(value)
    return str(value) if value.denominator < 10**7 else f"{Decimal(value.numerator) / Decimal(value.denominator):.40g}"


def root(x):
    """square root of a Fraction, as a Fraction good to 100 digits"""
    return F((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def move(o, d, t):
    return [x + t * y for x, y in zip(o, d)]


# ---- shapes: membership, features, support ----------------------------------------------------

def frame(s, dim):
    return s.get("axes") or [[F(int(i == j)) for j in range(dim)] for i in range(dim)]


def loop(s):
    return s["vertices"] if s["type"] == "polygon" else [s["a"], s["b"], s["c"]]


def left_of(a, b, p):
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def ends(s):
    if s["type"] == "cone":
        return s["base"], s["apex"], s["radius"], F(0)
    if s["type"] in ("frustum", "tapered_capsule"):
        return s["a"], s["b"], s["radius_a"], s["radius_b"]
    return s["a"], s["b"], s["radius"], s["radius"]


def power(p, center, radius):
    return dot(sub(p, center), sub(p, center)) - radius ** 2


def spread(s):
    """of a tapered capsule: greater than 0 if neither ball contains the other"""
    a, b, ra, rb = ends(s)
    return dot(sub(b, a), sub(b, a)) - (rb - ra) ** 2


def tapered_share(s, p):
    """where on the line a-b, as a share, is the ball that contains p by most"""
    a, b, ra, rb = ends(s)
    return (dot(sub(p, a), sub(b, a)) + ra * (rb - ra)) / spread(s)


def contains(s):
    kind = s["type"]
    if kind in ("sphere", "circle"):
        return lambda p: dot(sub(p, s["center"]), sub(p, s["center"])) <= s["radius"] ** 2
    if kind in ("half_space", "half_plane"):
        return lambda p: dot(s["normal"], sub(p, s["point"])) <= 0
    if kind in ("box", "rectangle"):
        return lambda p: all(abs(dot(n, sub(p, s["center"]))) <= h for n, h in zip(frame(s, len(p)), s["half_extents"]))
    if kind in ("ellipsoid", "ellipse"):
        return lambda p: sum((dot(n, sub(p, s["center"])) / r) ** 2 for n, r in zip(frame(s, len(p)), s["radii"])) <= 1
    if kind in ("triangle", "polygon"):
        def in_polygon(p):
            v = loop(s)
            sides = [left_of(v[i - 1], v[i], p) for i in range(len(v))]
            return all(x >= 0 for x in sides) or all(x <= 0 for x in sides)
        return in_polygon
    a, b, ra, rb = ends(s)
    axis = sub(b, a)
    if kind == "tapered_capsule":
        def in_a_ball(p):
            # the ball between the two that contains p by most, unless that is one of them
            shares = [F(0), F(1)]
            if spread(s) > 0:
                shares.append(min(max(tapered_share(s, p), F(0)), F(1)))
            return any(power(p, move(a, axis, x), ra + (rb - ra) * x) <= 0 for x in shares)
        return in_a_ball

    def in_round(p):
        along = dot(sub(p, a), axis) / dot(axis, axis)
        if kind == "capsule":
            along = min(max(along, F(0)), F(1))
        elif not 0 <= along <= 1:
            return False
        off = sub(p, move(a, axis, along))
        return dot(off, off) <= (ra + (rb - ra) * along) ** 2
    return in_round


def features(s, dim):
    """[(g, bounds)]: g <= 0 towards the inside; `bounds(p)` says whether g's zero set is boundary near p"""
    kind, always, never = s["type"], (lambda p: True), (lambda p: False)
    if kind in ("sphere", "circle"):
        return [(lambda p: dot(sub(p, s["center"]), sub(p, s["center"])) - s["radius"] ** 2, always)]
    if kind in ("half_space", "half_plane"):
        return [(lambda p: dot(s["normal"], sub(p, s["point"])), always)]
    if kind in ("box", "rectangle"):
        return [(lambda p, n=n, h=h, e=e: e * dot(n, sub(p, s["center"])) - h, always)
                for n, h in zip(frame(s, dim), s["half_extents"]) for e in (1, -1)]
    if kind in ("ellipsoid", "ellipse"):
        return [(lambda p: sum((dot(n, sub(p, s["center"])) / r) ** 2 for n, r in zip(frame(s, dim), s["radii"])) - 1, always)]
    if kind in ("triangle", "polygon"):
        v = loop(s)
        e = -1 if sum(left_of(v[0], v[i - 1], v[i]) for i in range(2, len(v))) > 0 else 1
        return [(lambda p, i=i: e * left_of(v[i - 1], v[i], p), always) for i in range(len(v))]
    a, b, ra, rb = ends(s)
    axis = sub(b, a)
    along = lambda p: dot(sub(p, a), axis) / dot(axis, axis)

    def side(p):
        h = along(p)
        off = sub(p, move(a, axis, h))
        return dot(off, off) - (ra + (rb - ra) * h) ** 2
    if kind == "tapered_capsule":
        balls = [lambda p: power(p, a, ra), lambda p: power(p, b, rb)]
        if spread(s) <= 0:
            return [(balls[rb > ra], always)]
        share, near = (lambda p: tapered_share(s, p)), F(1, 10**50)
        tangent = lambda p: power(p, move(a, axis, share(p)), ra + (rb - ra) * share(p))
        return [(tangent, lambda p: -near <= share(p) <= 1 + near), (balls[0], lambda p: share(p) <= near),
                (balls[1], lambda p: share(p) >= 1 - near), (lambda p: -share(p), never), (lambda p: share(p) - 1, never)]
    low, high = (lambda p: -along(p)), (lambda p: along(p) - 1)
    if kind == "capsule":
        ball = lambda c: (lambda p: dot(sub(p, c), sub(p, c)) - ra ** 2)
        near = F(1, 10**50)
        return [(side, lambda p: -near <= along(p) <= 1 + near), (ball(a), lambda p: along(p) <= near),
                (ball(b), lambda p: along(p) >= 1 - near), (low, never), (high, never)]
    return [(side, always), (low, always), (high, always)]


def reach(s, n):
    """support function: the largest n . p over the solid"""
    kind = s["type"]
    if kind in ("sphere", "circle"):
        return dot(n, s["center"]) + s["radius"] * root(dot(n, n))
    if kind in ("half_space", "half_plane"):
        return dot(n, s["point"])
    if kind in ("box", "rectangle"):
        # corners of {|axis . (p - center)| <= h}: solve axes . x = +-h, whether the axes are unit or not
        best = None
        for signs in range(2 ** len(n)):
            rhs = [h if signs >> i & 1 else -h for i, h in enumerate(s["half_extents"])]
            x = solve(frame(s, len(n)), rhs)
            best = dot(n, x) if best is None else max(best, dot(n, x))
        return dot(n, s["center"]) + best
    if kind in ("ellipsoid", "ellipse"):
        return dot(n, s["center"]) + root(sum((r * dot(n, a)) ** 2 for a, r in zip(frame(s, len(n)), s["radii"])))
    if kind in ("triangle", "polygon"):
        return max(dot(n, v) for v in loop(s))
    a, b, ra, rb = ends(s)
    axis = sub(b, a)
    flat = root(dot(n, n)) if kind in ("capsule", "tapered_capsule") else root(max(dot(n, n) - dot(n, axis) ** 2 / dot(axis, axis), F(0)))
    return max(dot(n, a) + ra * flat, dot(n, b) + rb * flat)


def solve(rows, rhs):
    """Cramer's rule in two or three unknowns"""
    def det(m):
        if len(m) == 2:
            return m[0][0] * m[1][1] - m[0][1] * m[1][0]
        return sum(m[0][i] * (m[1][i - 2] * m[2][i - 1] - m[1][i - 1] * m[2][i - 2]) for i in range(3))
    whole = det(rows)
    return [det([[rhs[r] if c == k else rows[r][c] for c in range(len(rhs))] for r in range(len(rhs))]) / whole for k in range(len(rhs))]


# ---- the line through a solid -----------------------------------------------------------------

def samples(s, o, d, hints):
    """values of t, sorted, with at least one in every stretch of the line that the boundary may cut out"""
    ts = set(hints)
    for g, _ in features(s, len(o)):
        f = lambda t: g(move(o, d, t))
        y0, y1, y2 = f(F(0)), f(F(1)), f(F(-1))
        c2, c1 = (y1 + y2) / 2 - y0, (y1 - y2) / 2
        check(f(F(7)) == y0 + 7 * c1 + 49 * c2, "internal: a feature of degree > 2")
        if c2 == 0:
            if c1 != 0:
                ts.add(-y0 / c1)
            continue
        turn = -c1 / (2 * c2)
        ts.add(turn)
        if f(turn) * c2 >= 0:
            continue
        for way in (-1, 1):  # bisect the sign change on either side of the turning point
            near, far, step = turn, turn + way, F(1)
            while f(far) * c2 < 0:
                step *= 2
                near, far = far, far + way * step
            for _ in range(240):
                mid = (near + far) / 2
                near, far = (mid, far) if f(mid) * c2 < 0 else (near, mid)
            ts |= {near, far}
    ts = sorted(ts)
    ts = [ts[0] - 1 - abs(ts[0])] + ts + [ts[-1] + 1 + abs(ts[-1])]
    return sorted(set(ts + [(a + b) / 2 for a, b in zip(ts, ts[1:])]))


def crossing(s, o, d, hints):
    """(t_enter, t_exit) on the whole line, or None"""
    holds = contains(s)
    at = lambda t: holds(move(o, d, t))
    ts = samples(s, o, d, hints)
    flags = [at(t) for t in ts]
    if not any(flags):
        return None
    first, last = flags.index(True), len(ts) - 1 - flags[::-1].index(True)
    check(all(flags[first:last + 1]), "internal: the solid is not convex along the line")

    def edge(out, within):
        for _ in range(2000):
            mid = (out + within) / 2
            out, within = (out, mid) if at(mid) else (mid, within)
            if abs(out - within) * 10**70 <= min(abs(within), F(1)):
                break
        return within
    t_enter = -INF if first == 0 else edge(ts[first - 1], ts[first])
    t_exit = INF if last == len(ts) - 1 else edge(ts[last + 1], ts[last])
    return t_enter, t_exit


def gradients(s, p):
    """the different directions of the features that are zero at p; None for one that has no direction"""
    out = []
    for g, bounds in features(s, len(p)):
        scale = max([abs(x) for x in p] + [F(1)]) ** 4
        if abs(g(p)) > scale / 10**45 or not bounds(p):
            continue
        step = [[x + (F(e) if i == k else 0) for i, x in enumerate(p)] for k in range(len(p)) for e in (1, -1)]
        grad = [(g(step[2 * k]) - g(step[2 * k + 1])) / 2 for k in range(len(p))]
        size = dot(grad, grad)
        if size < F(1, 10**60):
            return [None, None]
        unit = [x / root(size) for x in grad]
        if not any(dot(sub(unit, u), sub(unit, u)) < F(1, 10**60) for u in out):
            out.append(unit)
    return out


def check_vector(text, value, what):
    check(len(text) == len(value) and all(same(a, b) or (abs(b) < F(1, 10**36) and number_of(a) == 0) for a, b in zip(text, value)),
          f"{what} should be [{', '.join(show(x) for x in value)}], is {text}")


def number_of(text):
    return F(Decimal(text)) if isinstance(text, str) else number(text)


# ---- one case ---------------------------------------------------------------------------------

def schema(s, dim):
    check(s.get("type") in SCHEMA[dim], f"no such type: {s.get('type')}")
    words = SCHEMA[dim][s["type"]].split()
    need, may = {w for w in words if w[0] != "["}, {w.strip("[]") for w in words} | {"type"}
    check(need <= s.keys() <= may, f"parameters should be {words}")
    for k, v in s.items():
        if k in ("axes", "vertices"):
            check(all(len(x) == dim for x in v), f"{k}: dimension")
        elif isinstance(v, list):
            check(len(v) == dim, f"{k}: dimension")


def query(case):
    if "ray" in case:
        check(set(case["ray"]) == {"origin", "direction"} and "segment" not in case, "ray")
        o, d, lo, hi = case["ray"]["origin"], case["ray"]["direction"], F(0), INF
    else:
        check(set(case["segment"]) == {"a", "b"}, "segment")
        o, b, lo, hi = case["segment"]["a"], case["segment"]["b"], F(0), F(1)
        d = sub(b, o) if finite(o + b) else [float("nan")] * len(o)
    return o, d, case.get("t_min", lo), case.get("t_max", hi)


def check_list(texts, values, what):
    check(len(texts) == len(values) and all(same(a, b) for a, b in zip(texts, values)),
          f"{what} should be [{', '.join(show(x) for x in values)}], is {texts}")


def check_solid(case, raw, s, o, d, t_min, t_max):
    check("faces" not in case and "span" in raw, "keys of a solid")
    check(raw.get("inside") is (finite(o) and contains(s)(o)), f"inside is {raw.get('inside')}")
    line = None
    if finite(o + d) and any(d) and t_min <= t_max:
        hints = {F(0)} | {t for t in (t_min, t_max) if isinstance(t, F)}
        hints |= {number(x) for x in raw["all"] + raw["span"] if not isinstance(x, str) and isinstance(number(x), F)}
        line = crossing(s, o, d, hints)
    if line is None or line[0] > t_max or line[1] < t_min:
        check(raw["first"] == "miss" and raw["all"] == [] and raw["span"] == [], f"should be a miss (line: {line and [show(x) for x in line]})")
        return
    t_enter, t_exit = line
    check_list(raw["span"], [max(t_enter, t_min), t_exit if t_exit <= t_max else INF], "span")
    hits = []
    if case.get("origin", "solid") == "hollow":
        hits += [(t_enter, "front")] if t_min <= t_enter and t_enter != -INF else []
        hits += [(t_exit, "back")] if t_enter < t_exit <= t_max and t_exit != INF else []
    else:
        start = t_enter <= t_min
        check(not start or t_min != -INF, "the corpus has no hit at t = -inf")
        hits += [(t_min, "start")] if start else [(t_enter, "front")]
        hits += [(t_exit, "back")] if hits[0][0] < t_exit <= t_max and t_exit != INF else []
    check_list(raw["all"], [t for t, _ in hits], "all")
    if not hits:
        check(raw["first"] == "miss", "first should be a miss")
        return
    t, how = hits[0]
    first = raw["first"]
    check(isinstance(first, dict) and {"t", "point", "side"} <= first.keys() <= {"t", "point", "side", "normal"}, "keys of first")
    check(same(first["t"], t), f"first t should be {show(t)}")
    p = move(o, d, t)
    check_vector(first["point"], p, "point")
    check(first["side"] == ("front" if how == "front" else "back"), f"side is {how}")
    if how == "start":
        check_vector(first.get("normal", []), [-x / root(dot(d, d)) for x in d], "normal")
        return
    found = gradients(s, p)
    check(found, "internal: no feature at the hit")
    if len(found) > 1:
        check("normal" not in first, "the normal is not unique here: leave it out")
        return
    check("normal" in first, f"normal is missing: [{', '.join(show(x) for x in found[0])}]")
    check_vector(first["normal"], found[0], "normal")
    n = [number_of(x) for x in first["normal"]]
    beyond = reach(s, n) - dot(n, p)
    size = max(abs(x) for x in p + o + [F(1)])
    check(abs(beyond) <= size**2 / 10**30, f"the solid reaches {float(beyond):.3g} beyond the plane of this normal")
    check(dot(n, d) <= F(1, 10**22) * root(dot(d, d)) if how == "front" else dot(n, d) >= 0, "the normal and the side disagree")


def check_surface(case, raw, s, o, d, t_min, t_max):
    check(not {"origin", "inside", "span"} & raw.keys(), "keys of a surface")
    kind, t, hit = s["type"], None, False
    if kind == "triangle":
        a, edges = s["a"], [sub(s["b"], s["a"]), sub(s["c"], s["a"])]
    elif kind == "quad":
        a, edges = s["corner"], [s["edge_u"], s["edge_v"]]
    elif kind == "segment":
        a, edges = s["a"], [sub(s["b"], s["a"])]
    else:
        a, edges = s.get("point") or s["center"], []

    def height(p):  # signed, any scale: volume spanned with the edges, or along the normal
        w = sub(p, a)
        if kind in ("triangle", "quad"):
            x, y = edges
            return sum(w[i] * (x[i - 2] * y[i - 1] - x[i - 1] * y[i - 2]) for i in range(3))
        if kind == "segment":
            return w[0] * edges[0][1] - w[1] * edges[0][0]
        return dot(s["normal"], w)
    if finite(o + d) and any(d):
        h0, h1 = height(o), height(move(o, d, F(1)))
        if h0 != h1:
            t = h0 / (h0 - h1)
            p = move(o, d, t)
            check(height(p) == 0, "internal: the crossing is not on the plane")
            front = h1 < h0
            hit = t_min <= t <= t_max and case.get("faces", "both") in ("both", "front" if front else "back")
            w = sub(p, a)
            if kind == "disk":
                hit = hit and dot(w, w) <= s["radius"] ** 2
            elif edges:  # coordinates along the edges, from the normal equations
                if len(edges) == 1:
                    uv = [dot(w, edges[0]) / dot(edges[0], edges[0])]
                else:
                    uv = solve([[dot(x, y) for y in edges] for x in edges], [dot(w, x) for x in edges])
                hit = hit and min(uv) >= 0 and (max(uv) if kind == "quad" else sum(uv)) <= 1
    if not hit:
        check(raw["first"] == "miss" and raw["all"] == [], f"should be a miss (crossing at {t and show(t)})")
        return
    check_list(raw["all"], [t], "all")
    first = raw["first"]
    check(isinstance(first, dict) and first.keys() == {"t", "point", "normal", "side"}, "keys of first")
    check(same(first["t"], t), f"first t should be {show(t)}")
    check_vector(first["point"], p, "point")
    check(first["side"] == ("front" if front else "back"), "side")
    n = [number_of(x) for x in first["normal"]]
    check(abs(dot(n, n) - 1) < F(1, 10**22), "the normal is not a unit vector")
    if edges:
        check(all(abs(dot(n, e)) < root(dot(e, e)) / 10**22 for e in edges), "the normal is not square to the surface")
    else:
        check_vector(first["normal"], [x / root(dot(s["normal"], s["normal"])) for x in s["normal"]], "normal")
    check(height(move(a, n, F(1))) > 0, "the normal points to the wrong side")


def check_case(raw, dim):
    check(raw.keys() <= KEYS and {"name", "shape", "first", "all"} <= raw.keys(), f"keys: {sorted(raw.keys() - KEYS)}")
    precisions = raw.get("precision", ["f32", "f64"])
    check(precisions in (["f32", "f64"], ["f64"], ["f32"]), "precision")
    check(raw.get("origin", "solid") in ("solid", "hollow") and raw.get("faces", "both") in ("both", "front", "back"), "modes")
    case = {k: exact(raw[k], precisions, k) for k in ("shape", "ray", "segment", "t_min", "t_max") if k in raw}
    case |= {k: raw[k] for k in ("origin", "faces") if k in raw}
    s = case["shape"]
    schema(s, dim)
    o, d, t_min, t_max = query(case)
    check(len(o) == len(d) == dim, "dimension of the ray")
    check(all(representable(x, precisions) for x in d), "b - a of the segment is rounded")
    surface = s["type"] in SURFACES or (s["type"] == "triangle" and dim == 3)
    (check_surface if surface else check_solid)(case, raw, s, o, d, t_min, t_max)


def check_file(path):
    """(number of cases, complaints)"""
    text = path.read_text()
    data = tomllib.loads(text, parse_float=Decimal)
    dim, wrong, names = data.get("dimension", 3), [], set()
    if data.keys() - {"dimension", "case"}:
        wrong.append(f"unknown keys {sorted(data.keys())}")
    for block, raw in zip(text.split("[[case]]")[1:], data["case"]):
        try:
            check(raw.get("name") not in names, "the name is used twice")
            check(sum(x.startswith("#") for x in block.split("\n")) >= 3, "no picture")
            names.add(raw.get("name"))
            check_case(raw, dim)
        except Wrong as e:
            wrong.append(f"{raw.get('name')}: {e}")
    if len(data["case"]) < 20:
        wrong.append(f"only {len(data['case'])} cases")
    return len(data["case"]), wrong


def main():
    here = pathlib.Path(__file__).resolve().parent
    files = [pathlib.Path(x).resolve() for x in sys.argv[1:]] or sorted(here.glob("*.toml")) + sorted(here.glob("2d/*.toml"))
    bad = cases = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for path, (count, wrong) in zip(files, pool.map(check_file, files)):
            label = path.relative_to(here) if here in path.parents else path
            print(f"{str(label):28} {count:4} cases {len(wrong):4} wrong")
            for w in wrong:
                print("    " + w)
            bad += len(wrong)
            cases += count
    print(f"{'total':28} {cases:4} cases {bad:4} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
