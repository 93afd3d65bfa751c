"""Spans of solids on rays by another library, for the comparison and the benchmark of solids.

Arguments: the library (raysect, manifold3d or geant4), a file of questions, and a file for the answers; with a count of rounds as a
fourth argument, times instead of answers.

The file of questions has lines `solid PREFIX-EXPRESSION`, `leaf KIND NUMBER...` and `ray ORIGIN DIRECTION`; a leaf is a box (centre,
half extents), a sphere (centre, radius) or a cylinder along z (two centres, radius). Each ray gets a line of the answers: the ends of its
spans, or `failed` where the library's crossings do not go in and out in turn. Each solid gets a line of times: the seconds a ray of the
closest hit, then those of the spans, in the fastest of the rounds, with the call from Python.
"""

import sys
import time


class Failed(Exception):
    """The crossings do not go in and out in turn, or do not end."""


def spans_of(crossings):
    """The ends of spans, from crossings (t, whether it enters) sorted by t.

    Crossings of one t are put in the order that fits best. Bodies that touch may both contain the ray.
    """
    crossings = list(crossings)
    ends, depth = [], 0
    while crossings:
        ties = [i for i, (t, _) in enumerate(crossings) if t == crossings[0][0]]
        at = next((i for i in ties if crossings[i][1] == (depth == 0)), 0)
        t, enters = crossings.pop(at)
        depth += 1 if enters else -1
        if depth < 0:
            raise Failed
        if depth == enters:
            ends.append(t)
    if depth:
        raise Failed
    return ends


class Raysect:
    """raysect: `hit`, then `next_intersection` until there is none, as its primitives are documented."""

    def __init__(self):
        from raysect.core import Point3D, Ray, Vector3D, translate
        from raysect.primitive import Box, Cylinder, Intersect, Sphere, Subtract, Union

        self.of_ray = lambda origin, direction: Ray(Point3D(*origin), Vector3D(*direction))
        self.operators = {"|": Union, "&": Intersect, "-": Subtract}
        self.leaves = {
            "box": lambda c, h: Box(
                Point3D(*(x - r for x, r in zip(c, h))), Point3D(*(x + r for x, r in zip(c, h)))
            ),
            "sphere": lambda c, r: Sphere(r[0], transform=translate(*c)),
            "cylinder": lambda a, b, r: Cylinder(r[0], b[2] - a[2], transform=translate(*a)),
        }

    def combine(self, operator, a, b):
        return self.operators[operator](a, b)

    def finished(self, solid):
        return solid

    def closest(self, solid, ray):
        return solid.hit(ray)

    def spans(self, solid, ray):
        crossings = []
        crossing = solid.hit(ray)
        while crossing is not None:
            t, enters = crossing.ray_distance, not crossing.exiting
            if crossings[-1:] == [(t, enters)]:
                # Both crossings of a tangent have the same flag: this is a touch.
                crossings[-1] = (t, True)
                enters = False
            crossings.append((t, enters))
            if len(crossings) > 1000:
                raise Failed
            crossing = solid.next_intersection()
        return spans_of(crossings)


class Manifold:
    """manifold3d: Boolean operations of meshes, then `ray_cast`, which returns all hits of a segment."""

    def __init__(self):
        from manifold3d import Manifold

        def cuboid(center, half):
            return Manifold.cube(tuple(2 * r for r in half), True).translate(tuple(center))

        self.leaves = {"box": cuboid}

    def of_ray(self, origin, direction):
        # The segment ends behind every solid of the families.
        length = 2 * max(map(abs, origin)) + 32
        end = tuple(o + length * d for o, d in zip(origin, direction))
        return tuple(origin), end, direction, length

    def combine(self, operator, a, b):
        return {"|": a.__add__, "&": a.__xor__, "-": a.__sub__}[operator](b)

    def finished(self, solid):
        solid.num_tri()  # the Boolean operations are lazy
        return solid

    def closest(self, solid, ray):
        return solid.ray_cast(ray[0], ray[1])

    def spans(self, solid, ray):
        origin, end, direction, length = ray
        hits = solid.ray_cast(origin, end)
        # `distance` is a fraction of the segment.
        return spans_of(
            (hit.distance * length, sum(n * d for n, d in zip(hit.normal, direction)) < 0) for hit in hits
        )


class Geant4:
    """Geant4: steps of `DistanceToIn` and `DistanceToOut` in turn.

    Its manual gives surfaces a thickness of 1e-9. As its navigator does, a track without progress in 10 steps is pushed
    by 100 thicknesses, and given up after 25 (G4Navigator::ComputeStep).
    """

    THICKNESS = 1e-9

    def __init__(self):
        import geant4_pybind as geant4

        self.vector = geant4.G4ThreeVector
        self.operators = {
            "|": geant4.G4UnionSolid,
            "&": geant4.G4IntersectionSolid,
            "-": geant4.G4SubtractionSolid,
        }
        # A solid and the place of its frame, which is that of the first operand.
        self.leaves = {
            "box": lambda c, h: (geant4.G4Box("box", *h), c),
            "sphere": lambda c, r: (geant4.G4Orb("sphere", r[0]), c),
            "cylinder": lambda a, b, r: (
                geant4.G4Tubs("cylinder", 0.0, r[0], (b[2] - a[2]) / 2, 0.0, geant4.twopi),
                [a[0], a[1], (a[2] + b[2]) / 2],
            ),
        }
        self.kept = []

    def of_ray(self, origin, direction):
        return origin, direction, self.vector(*direction)

    def combine(self, operator, a, b):
        self.kept += [a, b]  # Geant4 keeps no reference
        move = self.vector(*(y - x for x, y in zip(a[1], b[1])))
        return self.operators[operator]("solid", a[0], b[0], None, move), a[1]

    def finished(self, solid):
        self.kept.append(solid)
        return solid

    def closest(self, solid, ray):
        origin, _, direction = ray
        place = solid[1]
        start = self.vector(origin[0] - place[0], origin[1] - place[1], origin[2] - place[2])
        return solid[0].DistanceToIn(start, direction)

    def spans(self, solid, ray):
        solid, place = solid
        origin, direction, vector = ray
        point = [o - p for o, p in zip(origin, place)]
        t, ends, idle = 0.0, [], 0
        while True:
            start = self.vector(*point)
            is_inside = len(ends) % 2 == 1
            step = solid.DistanceToOut(start, vector) if is_inside else solid.DistanceToIn(start, vector)
            if step > 1e99:  # kInfinity, 9e99: nothing more
                if is_inside:
                    raise Failed
                return ends
            idle = idle + 1 if step < self.THICKNESS / 2 else 0
            if idle > 25:
                raise Failed
            ends.append(t + step)
            step += 100 * self.THICKNESS if idle >= 10 else 0.0
            # The point moves on from where it is, so that rounding at a far origin counts once.
            t += step
            point = [p + step * d for p, d in zip(point, direction)]


def read(library, path):
    """Solids with their rays."""
    groups = []
    with open(path) as lines:
        for line in lines:
            word, *words = line.split()
            if word == "solid":
                groups.append((words, [], []))
            elif word == "leaf":
                numbers = [float(x) for x in words[1:]]
                groups[-1][1].append([words[0]] + [numbers[i : i + 3] for i in range(0, len(numbers), 3)])
            else:
                numbers = [float(x) for x in words]
                groups[-1][2].append(library.of_ray(numbers[:3], numbers[3:]))
    return groups


def build(library, words, leaves):
    """The solid of an expression in prefix notation."""
    stack = []
    for word in reversed(words):
        if word in "|&-":
            a, b = stack.pop(), stack.pop()
            stack.append(library.combine(word, a, b))
        else:
            kind, *numbers = leaves[int(word)]
            stack.append(library.leaves[kind](*numbers))
    return library.finished(stack.pop())


def answer(library, solid, ray):
    """A line of the answers."""
    try:
        return " ".join(map(repr, library.spans(solid, ray)))
    except Failed:
        return "failed"


def seconds(ask, solid, rays, rounds):
    """The seconds a ray, in the fastest of the rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time()
        for ray in rays:
            try:
                ask(solid, ray)
            except Failed:
                pass
        best = min(best, time.thread_time() - start)
    return best / len(rays)


def main():
    name, questions, answers, *rounds = sys.argv[1:]
    library = {"raysect": Raysect, "manifold3d": Manifold, "geant4": Geant4}[name]()
    with open(answers, "w") as out:
        for words, leaves, rays in read(library, questions):
            solid = build(library, words, leaves)
            if rounds:
                times = [seconds(ask, solid, rays, int(rounds[0])) for ask in (library.closest, library.spans)]
                print(*times, file=out)
            else:
                for ray in rays:
                    print(answer(library, solid, ray), file=out)


main()
