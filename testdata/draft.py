#!/usr/bin/env python3
"""Fills in the picture and the answers of new cases (closed forms, 150 digits; needs mpmath).

    python3 testdata/draft.py NEW.toml > FILLED.toml

A case that has no `first` yet gets its picture and its answers; a case that has them passes through.
`want = [4, 6]` in a new case is the author's own prediction of `all` (to 1e-3); a wrong one is reported on stderr, exit code 1.
The answers are only a draft: `verify.py` proves them by another method that shares no code with this file.
"""
import sys
import tomllib
from decimal import Decimal
from fractions import Fraction as F

from mpmath import mp, mpf

mp.dps = 150
INF = float("inf")
TINY = mpf(10) ** -110


def m(x):
    return mpf(x.numerator) / x.denominator if isinstance(x, F) else mpf(x)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def mul(a, k):
    return [x * k for x in a]


def unit(a):
    a = [m(x) for x in a]
    length = mp.sqrt(dot(a, a))
    return [x / length for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


# ---- sets of t on the line: lists of closed intervals -----------------------------------------

def quad_le(a, b, c):
    """a t^2 + 2 b t + c <= 0"""
    if a == 0:
        if b == 0:
            return [(-INF, INF)] if c <= 0 else []
        root = m(F(-c) / (2 * b))
        return [(-INF, root)] if b > 0 else [(root, INF)]
    disc = b * b - a * c
    if disc < 0:
        return [] if a > 0 else [(-INF, INF)]
    s = mp.sqrt(m(disc))
    lo, hi = sorted([(-m(b) - s) / m(a), (-m(b) + s) / m(a)])
    return [(lo, hi)] if a > 0 else [(-INF, lo), (hi, INF)]


def lin_le(slope, c):
    return quad_le(F(0), F(slope) / 2, c)


def meet(*sets):
    out = [(-INF, INF)]
    for s in sets:
        new = []
        for a in out:
            for b in s:
                lo, hi = max(a[0], b[0]), min(a[1], b[1])
                if lo <= hi or abs(lo - hi) < TINY:
                    new.append((lo, max(lo, hi)))
        out = new
    return out


def hull(*sets):
    every = [i for s in sets for i in s]
    return [(min(i[0] for i in every), max(i[1] for i in every))] if every else []


def slab(o, d, n, lo, hi):
    """lo <= n . p <= hi"""
    return meet(lin_le(dot(n, d), dot(n, o) - hi), lin_le(-dot(n, d), lo - dot(n, o)))


def ball(o, d, c, r):
    w = sub(o, c)
    return quad_le(dot(d, d), dot(w, d), dot(w, w) - r * r)


def tube(o, d, a, b, ra, rb):
    """within the side of the (truncated) cone from a to b, both nappes"""
    u, w = sub(b, a), sub(o, a)
    uu, wu, du = dot(u, u), dot(w, u), dot(d, u)
    f0, f1 = ra * uu + (rb - ra) * wu, (rb - ra) * du
    return quad_le((dot(d, d) * uu - du * du) * uu - f1 * f1,
                   (dot(w, d) * uu - wu * du) * uu - f0 * f1,
                   (dot(w, w) * uu - wu * wu) * uu - f0 * f0)


def axes_of(s, dim):
    return s.get("axes") or [[F(int(i == j)) for j in range(dim)] for i in range(dim)]


def turned(v):
    return [v[1], -v[0]]


def corners_ccw(s):
    v = s["vertices"] if s["type"] == "polygon" else [s["a"], s["b"], s["c"]]
    area = sum(v[i - 1][0] * v[i][1] - v[i][0] * v[i - 1][1] for i in range(len(v)))
    return v if area > 0 else v[::-1]


def kind(s):
    t = s["type"]
    t = {"circle": "sphere", "rectangle": "box", "ellipse": "ellipsoid", "half_plane": "half_space", "line": "plane"}.get(t, t)
    if t == "triangle":
        t = "triangle" if len(s["a"]) == 3 else "polygon"
    return t


SURFACES = ("plane", "disk", "triangle", "segment")


def span_of(s, o, d):
    """the closed set of t on the whole line, one interval or nothing"""
    k = kind(s)
    if k == "sphere":
        out = ball(o, d, s["center"], s["radius"])
    elif k == "half_space":
        out = lin_le(dot(s["normal"], d), dot(s["normal"], sub(o, s["point"])))
    elif k == "box":
        out = meet(*[slab(o, d, n, dot(n, s["center"]) - h, dot(n, s["center"]) + h)
                     for n, h in zip(axes_of(s, len(o)), s["half_extents"])])
    elif k == "ellipsoid":
        w, ax, r = sub(o, s["center"]), axes_of(s, len(o)), s["radii"]
        wl, dl = [dot(n, w) / q for n, q in zip(ax, r)], [dot(n, d) / q for n, q in zip(ax, r)]
        out = quad_le(dot(dl, dl), dot(wl, dl), dot(wl, wl) - 1)
    elif k in ("capsule", "cylinder", "cone", "frustum"):
        a, b, ra, rb = ends(s)
        u = sub(b, a)
        out = meet(tube(o, d, a, b, ra, rb), slab(o, d, u, dot(u, a), dot(u, b)))
        if k == "capsule":
            out = hull(out, ball(o, d, a, ra), ball(o, d, b, ra))
        out = hull(out)
    elif k == "polygon":
        v = corners_ccw(s)
        out = meet(*[lin_le(dot(turned(sub(v[i], v[i - 1])), d), dot(turned(sub(v[i], v[i - 1])), sub(o, v[i])))
                     for i in range(len(v))])
    return out[0] if out else None


def ends(s):
    if s["type"] == "cone":
        return s["base"], s["apex"], s["radius"], F(0)
    if s["type"] == "frustum":
        return s["a"], s["b"], s["radius_a"], s["radius_b"]
    return s["a"], s["b"], s["radius"], s["radius"]


def outward(s, p):
    """the unit outward normal at a boundary point, None where it is not unique"""
    k, near = kind(s), lambda x: abs(x) < mpf(10) ** -90
    if k == "sphere":
        return unit(sub(p, s["center"]))
    if k == "half_space":
        return unit(s["normal"])
    if k == "ellipsoid":
        w, g = sub(p, s["center"]), [mpf(0)] * len(p)
        for n, r in zip(axes_of(s, len(p)), s["radii"]):
            g = add(g, mul(n, dot(n, w) / r / r))
        return unit(g)
    found = []
    if k == "box":
        w = sub(p, s["center"])
        for n, h in zip(axes_of(s, len(p)), s["half_extents"]):
            x = dot(n, w)
            if near(abs(x) - h):
                found.append(mul(n, 1 if x > 0 else -1))
    elif k == "polygon":
        v = corners_ccw(s)
        for i in range(len(v)):
            n = turned(sub(v[i], v[i - 1]))
            if near(dot(n, sub(p, v[i]))):
                found.append(n)
    else:
        a, b, ra, rb = ends(s)
        u, w = sub(b, a), sub(p, a)
        uu, h = m(dot(u, u)), m(dot(w, u))
        if k == "capsule":
            foot = a if h < 0 else b if h > uu else add(a, mul(u, h / uu))
            return unit(sub(p, foot))
        if near(h):
            found.append(mul(u, -1))
        if near(h - uu) and rb > 0:
            found.append(u)
        radial = sub(w, mul(u, h / uu))
        size = ra + (rb - ra) * h / uu
        if near(dot(radial, radial) - size * size):
            if near(size):
                return None
            found.append(add(radial, mul(u, size * (ra - rb) / uu)))
    assert found, (s, p)
    return unit(found[0]) if len(found) == 1 else None


def surface(s, o, d):
    """(t, normal) of the one crossing, or None"""
    k = kind(s)
    if k == "triangle":
        a, b, c = s["a"], s["b"], s["c"]
        n = cross(sub(b, a), sub(c, a))
    elif k == "segment":
        a, n = s["a"], turned(sub(s["b"], s["a"]))
    else:
        a, n = s.get("point") or s["center"], s["normal"]
    nd = dot(n, d)
    if nd == 0:
        return None
    t = dot(n, sub(a, o)) / nd
    p = add(o, mul(d, t))
    if k == "disk" and dot(sub(p, a), sub(p, a)) > s["radius"] ** 2:
        return None
    if k == "segment" and not 0 <= dot(sub(p, a), sub(s["b"], a)) <= dot(sub(s["b"], a), sub(s["b"], a)):
        return None
    if k == "triangle" and any(dot(n, cross(sub(y, x), sub(p, x))) < 0 for x, y in ((a, b), (b, c), (c, a))):
        return None
    return t, unit(n), nd < 0


def answers(case):
    s = case["shape"]
    solid = kind(s) not in SURFACES
    o, d, t_min, t_max = query(case)
    fine = all(isinstance(x, F) for x in o + d) and any(d)
    out = {}
    if solid:
        i = span_of(s, o, [F(1)] + [F(0)] * (len(o) - 1)) if all(isinstance(x, F) for x in o) else None
        out["inside"] = bool(i and i[0] <= TINY and i[1] >= -TINY)
    hits, span = [], []
    if fine and not solid:
        hit = surface(s, o, d)
        if hit and t_min <= hit[0] <= t_max and case.get("faces", "both") in ("both", "front" if hit[2] else "back"):
            hits.append((m(hit[0]), hit[1], "front" if hit[2] else "back"))
    elif fine:
        i = span_of(s, o, d)
        lo, hi = m(t_min), m(t_max)
        le = lambda x, y: x <= y or abs(x - y) < TINY
        if i and le(lo, hi) and le(i[0], hi) and le(lo, i[1]):
            span = [max(i[0], lo), i[1] if le(i[1], hi) else INF]
            at = lambda t: outward(s, add([m(x) for x in o], mul([m(x) for x in d], t)))
            if case.get("origin", "solid") == "hollow":
                if le(lo, i[0]) and i[0] > -INF:
                    hits.append((i[0], at(i[0]), "front"))
                if le(i[1], hi) and i[1] < INF and not le(i[1], i[0]):
                    hits.append((i[1], at(i[1]), "back"))
            else:
                if le(i[0], lo):
                    hits.append((lo, unit(mul(d, -1)), "back"))
                else:
                    hits.append((i[0], at(i[0]), "front"))
                if le(i[1], hi) and i[1] < INF and not le(i[1], hits[0][0]):
                    hits.append((i[1], at(i[1]), "back"))
    out["hits"], out["span"], out["solid"] = hits, span, solid
    return out


def query(case):
    if "ray" in case:
        o, d, lo, hi = case["ray"]["origin"], case["ray"]["direction"], F(0), INF
    else:
        o, d, lo, hi = case["segment"]["a"], None, F(0), F(1)
        b = case["segment"]["b"]
        d = [y - x if isinstance(x, F) and isinstance(y, F) else float("nan") for x, y in zip(o, b)]
    return list(o), list(d), case.get("t_min", lo), case.get("t_max", hi)


# ---- numbers as text --------------------------------------------------------------------------

def text(x):
    if mp.isinf(x):
        return "inf" if x > 0 else "-inf"
    if abs(x) < mpf(10) ** -90:
        return "0"
    for digits in range(1, 18):
        short = mp.nstr(x, digits, strip_zeros=False)
        if abs(mpf(short) - x) <= abs(x) * mpf(10) ** -80:
            dec = Decimal(short).normalize()
            plain = format(dec, "f")
            return plain if len(plain) <= 20 else str(dec).replace("E+", "e").replace("E", "e")
    long = mp.nstr(x, 40, strip_zeros=False, min_fixed=-12, max_fixed=60)
    if abs(mpf(long) - x) <= abs(x) * mpf(10) ** -80:
        long = long.rstrip("0") if "e" not in long else long
    return '"' + long + '"'


def row(v):
    return "[" + ", ".join(text(x) for x in v) + "]"


def filled(case):
    a = answers(case)
    o, d, _, _ = query(case)
    lines = []
    if a["solid"]:
        lines.append("inside = " + str(a["inside"]).lower())
    if a["hits"]:
        t, n, side = a["hits"][0]
        p = [m(x) + t * m(y) for x, y in zip(o, d)]
        normal = f"normal = {row(n)}, " if n else ""
        lines.append(f'first = {{ t = {text(t)}, point = {row(p)}, {normal}side = "{side}" }}')
    else:
        lines.append('first = "miss"')
    lines.append("all = " + row([h[0] for h in a["hits"]]))
    if a["solid"]:
        lines.append("span = " + row(a["span"]))
    return lines, a


# ---- the picture: a slice of the shape in a plane that holds the ray --------------------------

def has_point(s, p):
    return span_of(s, p, [F(1)] + [F(0)] * (len(p) - 1))


def feature_points(s):
    """points whose projections frame the shape"""
    k = kind(s)
    f = lambda v: [float(x) for x in v]
    if k in ("sphere", "disk"):
        c, r = f(s["center"]), float(s["radius"])
        spread = [[r if i == j else 0 for j in range(len(c))] for i in range(len(c))]
    elif k in ("box", "ellipsoid"):
        c = f(s["center"])
        ax = [f(a) for a in axes_of(s, len(c))]
        spread = [mul(a, float(h)) for a, h in zip(ax, s["half_extents"] if k == "box" else s["radii"])]
    elif k in ("plane", "half_space"):
        c = f(s["point"])
        spread = [[2.0 if i == j else 0 for j in range(len(c))] for i in range(len(c))]
    elif k in ("triangle", "polygon", "segment"):
        return [f(v) for v in (s["vertices"] if "vertices" in s else [s[x] for x in "abc" if x in s])]
    else:
        a, b, ra, rb = ends(s)
        out = []
        u = [abs(x) for x in unit(sub(b, a))]
        for e, r in ((f(a), float(ra)), (f(b), float(rb))):
            for i in range(len(e)):
                size = r if k == "capsule" else r * float(mp.sqrt(max(1 - u[i] ** 2, 0)))
                for sign in (-1, 1):
                    out.append([e[j] + sign * size * (i == j) for j in range(len(e))])
        return out
    pts = [c]
    for v in spread:
        pts = [q for p in pts for q in (add(p, v), sub(p, v))] if k == "box" else pts + [add(c, v), sub(c, v)]
    return pts


def inside_float(s):
    """membership of a point in floats, for the picture only"""
    k = kind(s)
    f = lambda v: [float(x) for x in v]
    if k == "sphere":
        c, r = f(s["center"]), float(s["radius"])
        return lambda p, e: dot(sub(p, c), sub(p, c)) <= (r + e * 0.3) ** 2
    if k == "half_space":
        q, n = f(s["point"]), [float(x) for x in unit(s["normal"])]
        return lambda p, e: dot(n, sub(p, q)) <= e * 0.3
    if k == "box":
        c, h, ax = f(s["center"]), f(s["half_extents"]), [f(a) for a in axes_of(s, len(s["center"]))]
        return lambda p, e: all(abs(dot(a, sub(p, c))) <= x + e * 0.4 for a, x in zip(ax, h))
    if k == "ellipsoid":
        c, r, ax = f(s["center"]), f(s["radii"]), [f(a) for a in axes_of(s, len(s["center"]))]
        return lambda p, e: sum((dot(a, sub(p, c)) / (x + e * 0.3)) ** 2 for a, x in zip(ax, r)) <= 1
    if k == "polygon":
        v = [f(x) for x in corners_ccw(s)]
        n = [[float(y) for y in unit(turned(sub(v[i], v[i - 1])))] for i in range(len(v))]
        return lambda p, e: all(dot(n[i], sub(p, v[i])) <= e * 0.3 for i in range(len(v)))
    if k in ("capsule", "cylinder", "cone", "frustum"):
        a, b, ra, rb = ends(s)
        a, b, ra, rb = f(a), f(b), float(ra), float(rb)
        u = sub(b, a)
        uu = dot(u, u)

        def test(p, e):
            h = dot(sub(p, a), u) / uu
            if k != "capsule" and not -e * 0.3 <= h * uu ** 0.5 <= uu ** 0.5 + e * 0.3:
                return False
            h = min(max(h, 0), 1)
            w = sub(p, add(a, mul(u, h)))
            return dot(w, w) <= (ra + (rb - ra) * h + e * 0.3) ** 2
        return test
    if k == "triangle":
        a, b, c = f(s["a"]), f(s["b"]), f(s["c"])
        n = [float(x) for x in unit(cross(sub(b, a), sub(c, a)))]
        rims = [[float(y) for y in unit(cross(sub(y, x), n))] for x, y in ((a, b), (b, c), (c, a))]
        return lambda p, e: abs(dot(n, sub(p, a))) <= e * 0.5 and all(dot(r, sub(p, q)) <= e * 0.4 for r, q in zip(rims, (a, b, c)))
    if k == "segment":
        a, b = f(s["a"]), f(s["b"])
        n, u = [float(x) for x in unit(turned(sub(b, a)))], sub(b, a)
        return lambda p, e: abs(dot(n, sub(p, a))) <= e * 0.5 and -e * 0.5 <= dot(sub(p, a), u) / dot(u, u) ** 0.5 <= dot(u, u) ** 0.5 + e * 0.5
    q, n = f(s.get("point") or s["center"]), [float(x) for x in unit(s["normal"])]
    r = float(s["radius"]) if k == "disk" else float("inf")
    return lambda p, e: abs(dot(n, sub(p, q))) <= e * 0.5 and dot(sub(p, q), sub(p, q)) <= (r + e * 0.4) ** 2


def face_on(s, case, o, d):
    """the axis to look along when the outline matters: a ray in the plane, or through it at or beyond the rim"""
    if kind(s) not in ("disk", "triangle") or not d:
        return None
    face = [float(x) for x in unit(cross(sub(s["b"], s["a"]), sub(s["c"], s["a"])) if kind(s) == "triangle" else s["normal"])]
    k = max((0, 1, 2), key=lambda i: abs(face[i]))
    if abs(face[k]) < 0.999999:
        return None
    a = [float(x) for x in (s["a"] if kind(s) == "triangle" else s["center"])]
    if abs(dot(face, d)) < 1e-12:
        return k if abs(dot(face, sub(o, a))) < 1e-9 else None
    t = dot(face, sub(a, o)) / dot(face, d)
    _, _, t_min, t_max = query(case)
    if not t_min <= t <= t_max:
        return None
    w = sub([x + t * y for x, y in zip(o, d)], a)
    if kind(s) == "disk":
        return k if dot(w, w) ** 0.5 > 0.97 * float(s["radius"]) else None
    b, c = [[float(x) - y for x, y in zip(s[v], a)] for v in "bc"]
    n2 = dot(cross(b, c), cross(b, c))
    u, v = dot(cross(w, c), cross(b, c)) / n2, dot(cross(b, w), cross(b, c)) / n2
    return k if min(u, v, 1 - u - v) < 0.02 else None


NAMES = "xyz"


def axis_name(v):
    for i, x in enumerate(v):
        if abs(x) > 0.999999:
            return NAMES[i]
    big = min(abs(x) for x in v if abs(x) > 1e-9)
    return "(" + ", ".join(f"{round(x / big, 2):g}" for x in v) + ")"


def finite(case):
    o, d, _, _ = query(case)
    return all(isinstance(x, F) for x in o + d)


def picture(case, a):
    s = case["shape"]
    pts = feature_points(s)
    dim = len(pts[0])
    mid = [(max(p[i] for p in pts) + min(p[i] for p in pts)) / 2 for i in range(dim)]
    o, d, t_min, t_max = query(case)
    real = all(isinstance(x, F) for x in o)
    moving = real and all(isinstance(x, F) for x in d) and any(d)
    o = [float(x) for x in o] if real else mid
    d = [float(x) for x in d] if moving else None
    e = lambda i: [float(i == j) for j in range(dim)]
    o_depth, k = o, None
    if dim == 2:
        right, up = e(0), e(1)
    else:
        face = None
        if kind(s) in SURFACES:
            face = unit(cross(sub(s["b"], s["a"]), sub(s["c"], s["a"])) if kind(s) == "triangle" else s["normal"])
        options = []
        for k in (1, 2, 0):
            flat = [0 if i == k else x for i, x in enumerate(d)] if d else None
            hs = [e(i) for i in (0, 1, 2) if i != k]
            if d and dot(flat, flat) > 0:
                h = mul(flat, 1 / dot(flat, flat) ** 0.5)
                big = max(h, key=abs)
                hs = [mul(h, -1 if big < 0 else 1)]
            for h in hs:
                n = cross(h, e(k))
                cost = abs(dot(n, sub(o, mid))) + 1e-3 * sum(1 for x in h if abs(x) > 1e-9)
                if face and abs(float(dot(face, n))) > 0.9:
                    cost += 1e9
                options.append((cost, len(options), h, e(k)))
        _, _, right, up = min(options)
        k = face_on(s, case, o, d)
        if k is not None:
            right, up, o_depth = [(e(1), e(2)), (e(0), e(2)), (e(0), e(1))][k] + (mid,)
    flat = lambda p: (dot(right, p), dot(up, p))
    frame = [flat(p) for p in pts]
    size = max(max(p[i] for p in frame) - min(p[i] for p in frame) for i in (0, 1))
    centre = flat(mid)
    close = lambda p: max(abs(p[0] - centre[0]), 0.6 * abs(p[1] - centre[1])) <= 3.2 * size
    marks = []
    if real:
        marks.append((flat(o), "o"))
    if d:
        at = lambda t: flat([x + float(t) * y for x, y in zip(o, d)])
        if "segment" in case:
            marks.append((at(1), "b"))
        if t_min != 0 and abs(t_min) < INF:
            marks.append((at(t_min), "["))
        if "segment" not in case and t_max < INF:
            marks.append((at(t_max), "]"))
        if abs(t_min) == INF:
            marks = []
        for t, _, _ in a["hits"]:
            marks.append((at(t), "*"))
    if d:  # the point of the ray nearest to the shape
        t0 = -dot(d, sub(o, mid)) / dot(d, d)
        t0 = min(max(t0, min(float(t_min), 0)), float(t_max))
        frame += [p for p in [flat([x + t0 * y for x, y in zip(o, d)])] if close(p)]
    frame += [p for p, _ in marks if close(p)]
    lo = [min(p[i] for p in frame) for i in (0, 1)]
    hi = [max(p[i] for p in frame) for i in (0, 1)]
    if d and t_max == INF and abs(dot(d, up)) > abs(dot(d, right)):  # a row for the arrow
        past = (hi[1] - lo[1]) / 5
        p = flat(a["hits"] and [x + float(a["hits"][-1][0]) * y for x, y in zip(o, d)] or o)[1]
        if dot(d, up) > 0 and p + past > hi[1] and p <= hi[1] + 1e-9:
            hi[1] = p + past
        elif dot(d, up) < 0 and p - past < lo[1] and p >= lo[1] - 1e-9:
            lo[1] = p - past
    ch = max((hi[1] - lo[1]) / 6, (hi[0] - lo[0]) * 2 / 56, size / 24)
    cw = ch / 2
    lo[0] -= 6 * cw
    hi[0] += 6 * cw
    rows = max(int(round((hi[1] - lo[1]) / ch)) + 1, 3)
    if rows > 7:
        rows = 7
    base = (hi[1] + lo[1]) / 2 + (rows - 1) / 2 * ch
    anchor = next((p[1] for p, mark in marks[::-1] if mark in ("*o" if kind(s) not in SURFACES else "*") and close(p)), centre[1])
    if kind(s) in SURFACES and abs(centre[1] - anchor) < 1e-6 * size:
        anchor = centre[1]
    base = anchor + round((base - anchor) / ch) * ch
    cols = int(round((hi[0] - lo[0]) / cw)) + 1
    n = cross(right, up) if dim == 3 else None
    depth = dot(n, o_depth) if n else 0
    test = inside_float(s)
    solid = kind(s) not in SURFACES
    grid = []
    for r in range(rows):
        line = []
        for c in range(cols):
            x, y = lo[0] + c * cw, base - r * ch
            p = add(add(mul(right, x), mul(up, y)), mul(n, depth)) if n else [x, y]
            if solid:
                line.append(":" if test(p, cw) else " ")
            else:
                line.append("#" if any(test(add(p, mul(up, ch * k)), cw) for k in (-0.25, 0, 0.25)) else " ")
        grid.append(line)

    def put(p, mark):
        c, r = round((p[0] - lo[0]) / cw), round((base - p[1]) / ch)
        if 0 <= c < cols and 0 <= r < rows:
            grid[r][c] = mark
            return True
        return False

    drawn = True
    if d:
        dx, dy = dot(right, d), dot(up, d)
        cx, cy = dx / cw, dy / ch
        pierces = cx == 0 and cy == 0
        mark = "-" if abs(cy) < 0.4 * abs(cx) else "|" if abs(cx) < 0.4 * abs(cy) else "/" if cx * cy > 0 else "\\"
        if pierces:
            cx = cy = dx = 1e-12
        start = -1e9 if abs(t_min) == INF else min(float(t_min), 0)
        end = float(t_max) if t_max < INF else 1e18
        ox, oy = flat(o)
        step = 0.25 / max(abs(cx), abs(cy))
        # the stretch of t that can show
        t0 = (dot([dx, dy], sub(centre, (ox, oy)))) / (dx * dx + dy * dy)
        reach = (cols * cw + rows * ch) / (dx * dx + dy * dy) ** 0.5
        t, shown, last = max(start, t0 - reach), False, None
        first_cell = None
        while not pierces and t <= min(end, t0 + reach) + step / 2:
            tt = min(t, end)
            p = (ox + tt * dx, oy + tt * dy)
            if put(p, mark):
                last, shown = p, True
                if first_cell is None:
                    first_cell = p
            t += step
        if shown:
            if (abs(ox - first_cell[0]) >= cw or abs(oy - first_cell[1]) >= ch) and start > -1e8:
                put(first_cell, "~")
            arrow = (">" if dx > 0 else "<") if abs(cx) >= abs(cy) else ("^" if dy > 0 else "v")
            put(last, arrow)
        drawn = shown or pierces
        if pierces:
            marks = [(flat(o), "*" if a["hits"] else "x")]
    order = {"[": 0, "]": 1, "b": 2, "o": 3, "x": 3, "*": 4}
    for p, mark in sorted(marks, key=lambda q: order[q[1]]):
        put(p, mark)
    if d and real and a["hits"] and abs(a["hits"][0][0]) < 1e-30:
        put(flat(o), "@")
    label = f"{axis_name(right)} right, {axis_name(up)} up"
    if dim == 3 and k is not None:
        label += ", seen face on"
    elif n:
        for i in range(3):
            if abs(n[i]) > 0.999999 and abs(o[i]) > 1e-12:
                label += f", {NAMES[i]} = {o[i]:g}"
    if not real or not moving:
        label += "; no direction: not a ray" if real and finite(case) else "; not a ray: a number is nan or infinite"
    elif not drawn:
        label += "; the ray is outside the picture"
    out = ["".join(line).rstrip() for line in grid]
    while len(out) > 3 and not out[0]:
        out.pop(0)
    while len(out) > 3 and not out[-1]:
        out.pop()
    indent = min((len(x) - len(x.lstrip()) for x in out if x), default=0)
    out = [x[max(indent - 2, 0):] for x in out]
    return [("# " + x).rstrip() for x in out] + ["#   " + label]


# ---- the file ---------------------------------------------------------------------------------

def exact(x):
    if isinstance(x, dict):
        return {k: exact(v) for k, v in x.items()}
    if isinstance(x, list):
        return [exact(v) for v in x]
    if isinstance(x, bool):
        return x
    if isinstance(x, int):
        return F(x)
    if isinstance(x, Decimal):
        return F(x) if x.is_finite() else float(x)
    return x


def main():
    source = open(sys.argv[1]).read()
    head, *blocks = source.split("[[case]]\n")
    out, code = [head], 0
    for block in blocks:
        raw = tomllib.loads("[[case]]\n" + block, parse_float=Decimal)["case"][0]
        if "first" not in raw:
            case = exact(raw)
            try:
                lines, a = filled(case)
                pic = picture(case, a)
            except Exception:
                sys.stderr.write(f"in case {case['name']}\n")
                raise
            if "want" in case:
                want, got = case["want"], [h[0] for h in a["hits"]]
                if len(want) != len(got) or any(abs(m(w) - g) > 1e-3 * max(1, abs(g)) for w, g in zip(want, got)):
                    sys.stderr.write(f"{sys.argv[1]}: {case['name']}: predicted {[float(w) for w in want]}, got {[float(g) for g in got]}\n")
                    code = 1
            kept = [x for x in block.rstrip().split("\n") if not x.startswith("want")]
            at = 1
            block = "\n".join(kept[:at] + pic + kept[at:] + lines) + "\n\n"
        out.append("[[case]]\n" + block)
    sys.stdout.write("".join(out).rstrip() + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
