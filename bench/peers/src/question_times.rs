//! Times of questions to one target: answers are compared before their times.

use crate::contest::{Run, contest, geometric_mean};
use hitscan::glam::DVec3;
use hitscan::{Hit, Ray, RayCast, Real, Segment, Shape, Vector};
use std::hint::black_box;
use test_support::random::Rng;

/// Rays, points and lines of sight of one kind.
pub(crate) const RAYS: usize = 4096;

/// Origins and ends of rays: from a cube around the targets towards a smaller cube in its middle.
pub(crate) fn origins_and_ends(seed: u64) -> Vec<[DVec3; 2]> {
    let mut random = Rng::for_stream(seed, 60);
    let mut cube = |size: f64| DVec3::from_array(random.cube(3)) * size;
    (0..RAYS).map(|_| [cube(4.0), cube(0.8)]).collect()
}

/// What the questions are about: rays, pairs of points that may see each other, and points that may be inside.
pub(crate) struct Given<V: Vector> {
    pub(crate) rays: Vec<Ray<V>>,
    pub(crate) sights: Vec<[V; 2]>,
    pub(crate) points: Vec<V>,
}

/// The number of objects that have a length along a ray.
type CountLengths<'a, V> = dyn Fn(&Ray<V>) -> usize + 'a;

/// One of our targets. `passes` are those over the rays in one round.
pub(crate) struct Target<'a, V: Vector, S> {
    pub(crate) kind: &'static str,
    pub(crate) precision: &'static str,
    pub(crate) passes: usize,
    pub(crate) shape: &'a S,
    /// Of a scene only.
    pub(crate) lengths: Option<&'a CountLengths<'a, V>>,
}

/// Answers every ray, or every point: whether it hits, or is inside.
type AskAll<'a> = Box<dyn Fn(&mut [bool]) + 'a>;

/// A question to a peer, whose answers can be compared with ours.
pub(crate) struct PeerQuestion<'a> {
    name: &'static str,
    about_points: bool,
    ask: AskAll<'a>,
}

impl<'a> PeerQuestion<'a> {
    /// The question for the closest hits of rays.
    pub(crate) fn closest<T>(name: &'static str, rays: &'a [T], cast: impl Fn(&T) -> bool + 'a) -> Self {
        Self { name, about_points: false, ask: ask_all(rays, cast) }
    }
    /// The question for points that are inside.
    pub(crate) fn contains<T>(name: &'static str, points: &'a [T], contains: impl Fn(&T) -> bool + 'a) -> Self {
        Self { name, about_points: true, ask: ask_all(points, contains) }
    }
    fn question<'b>(&'b self, passes: usize) -> Question<'b> {
        let mut answers = vec![false; RAYS];
        let run = move || {
            for _ in 0..passes {
                (self.ask)(&mut answers);
                black_box(&answers);
            }
        };
        Question { name: self.name, asked: RAYS * passes, measure: 0, run: Box::new(run) }
    }
    /// The number of answers that differ from ours, which are exact.
    fn wrong<V: Vector>(&self, ours: &Answers<V>) -> usize {
        let mut answers = vec![false; RAYS];
        (self.ask)(&mut answers);
        let truth = if self.about_points { &ours.contains } else { &ours.closest };
        answers.iter().zip(truth).filter(|(a, b)| a != b).count()
    }
}

fn ask_all<'a, T>(items: &'a [T], ask: impl Fn(&T) -> bool + 'a) -> AskAll<'a> {
    // Without the black box the compiler asks about several points in one instruction, which is a batch.
    Box::new(move |answers| answers.iter_mut().zip(items).for_each(|(answer, item)| *answer = black_box(ask(item))))
}

/// A function to time.
struct Question<'a> {
    name: &'static str,
    /// How often one run asks it.
    asked: usize,
    /// The index of the question whose time is its measure.
    measure: usize,
    run: Run<'a>,
}

/// Our question about each item.
fn question<'a, T>(name: &'static str, items: &'a [T], passes: usize, ask: impl Fn(&T) + 'a) -> Question<'a> {
    let run = move || (0..passes).for_each(|_| items.iter().for_each(&ask));
    Question { name, asked: items.len() * passes, measure: 0, run: Box::new(run) }
}

/// A result that the compiler must compute.
fn seen<T>(result: T) {
    let _ = black_box(result);
}

/// Our answers about one target.
struct Answers<V: Vector> {
    closest: Vec<bool>,
    contains: Vec<bool>,
    /// The closest hits that there are, and their rays.
    hits: Vec<Hit<V>>,
    hitting: Vec<Ray<V>>,
    /// Whether the target has an inside that a ray or a point is in.
    is_solid: bool,
    is_thick: bool,
}

impl<V: Vector> Answers<V> {
    fn of(shape: &impl Shape<V>, given: &Given<V>) -> Self {
        let closest: Vec<_> = given.rays.iter().map(|ray| shape.cast_ray(ray, ..)).collect();
        let hits: Vec<_> = closest.iter().flatten().copied().collect();
        Self {
            hitting: given.rays.iter().zip(&closest).filter(|(_, hit)| hit.is_some()).map(|(ray, _)| *ray).collect(),
            closest: closest.iter().map(Option::is_some).collect(),
            contains: given.points.iter().map(|point| shape.contains(*point)).collect(),
            is_solid: given.rays.iter().any(|ray| !shape.spans(ray, ..).is_empty()),
            is_thick: hits.iter().any(|hit| shape.thickness(hit).is_some()),
            hits,
        }
    }
}

impl<V: Vector, S: Shape<V>> Target<'_, V, S> {
    /// The number of rays and points whose answers to two questions contradict each other.
    fn contradictions(&self, given: &Given<V>, answers: &Answers<V>) -> usize {
        let of_rays = given.rays.iter().filter(|ray| !self.agrees(ray, answers.is_solid)).count();
        let of_sights = given.sights.iter().filter(|[from, to]| {
            let blocked = self.shape.intersects_ray(&Segment::new(*from, *to), ..);
            blocked == self.shape.line_of_sight(*from, *to, ..)
        });
        // A ray that starts inside is in a span where it starts.
        let of_points = given.points.iter().zip(&given.rays).zip(&answers.contains).filter(|((point, ray), inside)| {
            let spans = self.shape.spans(&Ray::new(**point, ray.direction), ..);
            let starts = spans.iter().any(|span| span.enter.is_some_and(|hit| hit.t == V::Scalar::from_f64(0.0)));
            starts != **inside
        });
        of_rays + of_sights.count() + of_points.count()
    }

    /// Whether the answers about one ray agree with each other.
    fn agrees(&self, ray: &Ray<V>, is_solid: bool) -> bool {
        let (first, all) = (self.shape.cast_ray(ray, ..), self.shape.cast_ray_all(ray, ..));
        let spans = self.shape.spans(ray, ..);
        // The span of a solid begins with a hit, and an object has a length where it has a span.
        let has_spans = !is_solid || first.is_some() || spans.is_empty();
        let has_lengths = self.lengths.is_none_or(|lengths| (lengths(ray) > 0) != spans.is_empty());
        let closest = [first.as_ref(), all.first()].map(|hit| hit.map(|hit| hit.t));
        closest[0] == closest[1] && all.len() == self.shape.count_hits(ray, ..) && has_spans && has_lengths
    }

    /// Our questions; the closest hits are the first one.
    fn questions<'b>(&'b self, given: &'b Given<V>, answers: &'b Answers<V>) -> Vec<Question<'b>> {
        let (shape, rays, passes) = (black_box(self.shape), &given.rays[..], self.passes);
        let mut all = vec![
            question("closest", rays, passes, move |ray| seen(shape.cast_ray(ray, ..))),
            question("all", rays, passes, move |ray| seen(shape.cast_ray_all(ray, ..))),
            question("count", rays, passes, move |ray| seen(shape.count_hits(ray, ..))),
            question("sight", &given.sights, passes, move |[from, to]| seen(shape.line_of_sight(*from, *to, ..))),
        ];
        if answers.is_solid {
            all.push(question("spans", rays, passes, move |ray| seen(shape.spans(ray, ..))));
            all.push(question("contains", &given.points, passes, move |point| seen(shape.contains(*point))));
        }
        if let Some(lengths) = self.lengths {
            all.push(question("lengths", rays, passes, move |ray| seen(lengths(ray))));
        }
        if answers.is_thick {
            let measure = all.len();
            all.push(question(HITTING, &answers.hitting, passes, move |ray| seen(shape.cast_ray(ray, ..))));
            let thickness = question("thickness", &answers.hits, passes, move |hit| seen(shape.thickness(hit)));
            all.push(Question { measure, ..thickness });
        }
        all
    }
}

/// The closest hits of the rays that hit: a measure only.
const HITTING: &str = "hitting";

/// One ratio.
struct Found {
    question: &'static str,
    /// Kind and precision.
    place: String,
    ratio: f64,
    /// The number of wrong answers, of a peer.
    wrong: Option<usize>,
}

/// The benchmark so far.
pub(crate) struct Questions {
    rounds: usize,
    /// Asks only about kinds whose name with precision contains this.
    only: String,
    lines: Vec<String>,
    found: Vec<Found>,
}

impl Questions {
    pub(crate) fn new(rounds: usize, only: &str) -> Self {
        Self { rounds, only: only.into(), lines: Vec::new(), found: Vec::new() }
    }

    /// Asks all questions about one target, and the same of the peers.
    pub(crate) fn ask<V: Vector, S: Shape<V>>(
        &mut self,
        target: &Target<'_, V, S>,
        given: &Given<V>,
        peers: &[PeerQuestion<'_>],
    ) {
        let place = format!("{} {}", target.kind, target.precision);
        if !place.contains(&self.only) {
            return;
        }
        // Compare the answers first.
        let answers = Answers::of(target.shape, given);
        let contradictions = target.contradictions(given, &answers);
        // All take turns, so that none finds its data in the caches from a run just before.
        let mut questions = target.questions(given, &answers);
        questions.extend(peers.iter().map(|peer| peer.question(target.passes)));
        let infos: Vec<_> = questions.iter().map(|q| (q.name, q.asked, q.measure)).collect();
        let mut runs: Vec<Run<'_>> = questions.into_iter().map(|q| q.run).collect();
        let times = contest(&mut runs, self.rounds);
        let nanos = |i: usize| times[i].median() * 1e9 / infos[i].1 as f64;
        // Print one line of the kind, and keep one ratio of each question.
        let hits = 100.0 * answers.hits.len() as f64 / RAYS as f64;
        let mut line = format!("{place:<20} closest {:.0} ns, {hits:.0} % hit;", nanos(0));
        for (i, &(question, _, measure)) in infos.iter().enumerate().skip(1).filter(|(_, info)| info.0 != HITTING) {
            let ratio = nanos(i) / nanos(measure);
            let wrong = peers.iter().find(|peer| peer.name == question).map(|peer| peer.wrong(&answers));
            let wrongs = wrong.map_or_else(String::new, |wrong| format!(" ({wrong} of {RAYS} wrong)"));
            line += &format!(" {question} {ratio:.2}{wrongs}");
            self.lines.push(format!("RATIO question {place} {question} {ratio:.2}"));
            self.found.push(Found { question, place: place.clone(), ratio, wrong });
        }
        println!("{line}; {contradictions} of ours contradict each other");
    }

    /// Prints the table: for each question its geometric mean over the kinds, and where it takes longest. Returns the ratios, as lines.
    pub(crate) fn finished(self) -> Vec<String> {
        println!();
        let mut names: Vec<&str> = Vec::new();
        for found in &self.found {
            if !names.contains(&found.question) {
                names.push(found.question);
            }
        }
        for name in names {
            let all: Vec<&Found> = self.found.iter().filter(|found| found.question == name).collect();
            let mean = geometric_mean(&all.iter().map(|found| found.ratio).collect::<Vec<_>>());
            let Some(most) = all.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { continue };
            let wrong: Vec<usize> = all.iter().filter_map(|found| found.wrong).collect();
            let wrong = if wrong.is_empty() {
                String::new()
            } else {
                format!("; {} of {} answers wrong", wrong.iter().sum::<usize>(), wrong.len() * RAYS)
            };
            println!(
                "{name:<15} takes {mean:>6.2} times as long as the closest hit (mean of {:>2} kinds), at most {:>6.2} ({}){wrong}",
                all.len(),
                most.ratio,
                most.place
            );
        }
        self.lines
    }
}
