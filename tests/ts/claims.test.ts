/**
 * The claims that guides, examples and prose of the playground make about their figures, against the numbers. A claim stands as data
 * beside its sentence: in guide.json and examples.json, and for prose.html and other files of the page in claims.json.
 */
import { existsSync } from "node:fs";
import { checkRope, type Decoder, load, type RopeOptions } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageNames } from "../../web/pages/index.js";
import { ROWS, scalingOf, type TestedRule, trainingOf, usualBetas } from "../../web/pages/long-context/recipe.js";
import {
  type GridName,
  gridNames,
  grids,
  hits,
  keysOf,
  learn,
  optionsOf,
  side,
  target,
  type Way,
} from "../../web/pages/receptive-field/axes.js";
import { type ShapeName, shapes } from "../../web/pages/speed/speed-calls.js";
import { newFrom, TRAINED } from "../../web/pages/story/draw/long.js";
import { LLAMA, repairs, SLOW, STRANDS } from "../../web/pages/story/ropes.js";
import { KEY, QUERY } from "../../web/pages/story/scenes.js";
import { BATCH } from "../../web/training/recipe.js";
import { fromRoot, readJson, readText } from "./files.js";

interface Wavelength {
  readonly kind: "wavelength";
  readonly pair: number;
  readonly millions: number;
  readonly longerThan: number;
}
interface LongContext {
  readonly kind: "long-context";
  readonly factor: number;
  /** Rules whose median accuracy is almost perfect there, and those that lost most of it. */
  readonly read?: readonly string[];
  readonly fail?: readonly string[];
  /** Rules that fail at other factors. */
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>;
}
interface Race {
  readonly kind: "race";
  readonly solve: readonly string[];
  readonly chance: readonly string[];
  readonly beginsBelowChance?: boolean;
}
/** In each grid, the shares of patches from which the head looks at the same place in the picture, and as many patches away. */
type PictureFinds = Readonly<Record<number, readonly [place: number, patches: number]>>;
interface Curve {
  readonly channels: number;
  readonly base: number;
}
type Claim =
  | Wavelength
  | LongContext
  | Race
  | ({ readonly kind: "bound"; readonly span: number; readonly least: number } & Curve)
  | ({ readonly kind: "rises"; readonly span: number; readonly count: number } & Curve)
  | ({ readonly kind: "returns"; readonly at: number; readonly score: number } & Curve)
  | { readonly kind: "llama3"; readonly pair: number; readonly band: "kept" | "blended" | "divided" }
  | {
      readonly kind: "score";
      readonly at: number;
      readonly scores: ReadonlyArray<readonly [alpha: number, rho: number, score: number]>;
    }
  | {
      readonly kind: "cut";
      readonly rotate: boolean;
      readonly divergenceBelow?: number;
      readonly divergenceAbove?: number;
    }
  | { readonly kind: "context"; readonly original: number; readonly factor: number }
  | { readonly kind: "verdict"; readonly code: number; readonly differ: readonly string[] }
  | ({ readonly kind: "shape"; readonly shape: ShapeName } & Partial<Record<"sequence" | "heads" | "headDim", number>>)
  | { readonly kind: "zigzag"; readonly rules: readonly string[]; readonly above: number; readonly below: number }
  | {
      readonly kind: "resonance";
      readonly distance: number;
      readonly seed: number;
      readonly rule: TestedRule;
      readonly accuracy: Readonly<Record<string, number>>;
    }
  | { readonly kind: "drope"; readonly factor: number; readonly losses: Readonly<Record<string, number>> }
  | { readonly kind: "picture"; readonly finds: Readonly<Record<string, PictureFinds>> }
  | { readonly kind: "unlearned"; readonly way: Way; readonly below: number }
  | { readonly kind: "target"; readonly rows: number; readonly columns: number; readonly side: number }
  | { readonly kind: "swap" | "heap"; readonly share: number }
  | { readonly kind: "turn"; readonly positions: number; readonly fast: number; readonly slow: number }
  | ({ readonly kind: "turns"; readonly positions: number; readonly turns: number } & Partial<Curve & { pair: number }>)
  | {
      readonly kind: "pair";
      readonly positions: number;
      readonly moved: number;
      readonly degrees: number;
      readonly score: number;
    }
  | ({ readonly kind: "strands" } & Readonly<Record<"at" | "one" | "all" | "from" | "to" | "most" | "next", number>>)
  | { readonly kind: "unfinished"; readonly trained: number; readonly count: number; readonly of: number }
  | { readonly kind: "repairs" }
  | { readonly kind: "microscope"; readonly layer: number }
  | { readonly kind: "lanes" };
interface Story {
  readonly answers: Readonly<Record<"on" | "off", Readonly<Record<"no" | "yes", readonly number[]>>>>;
  readonly lanes: Readonly<Record<"whole" | "turned" | "unturned" | "fresh", { text: string; sailor: number }>>;
}
interface Step {
  readonly title: string;
  readonly sentence: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly claim?: Claim;
}

function listed<T>(page: string, name: string): readonly T[] {
  const file = `web/pages/${page}/${name}`;
  return existsSync(fromRoot(file)) ? readJson<T[]>(file) : [];
}
const recorded = <T>(page: string) => readJson<T>(`web/pages/${page}/recorded.json`);

const ropewalk = await load({ analysis: true });
function frequenciesOf(options: RopeOptions): Float64Array {
  using rope = ropewalk.rope(options);
  return Float64Array.from(rope.frequencies);
}
function boundOf({ channels, base }: Curve, span: number): Float64Array {
  using rope = ropewalk.rope({ headDim: channels, frequencies: { type: "default", base } });
  return rope.decay(Array.from({ length: span + 1 }, (_, n) => n));
}
/** The score of two equal vectors of length 1 that have as much of every pair. */
function scoreOf(headDim: number, frequencies: RopeOptions["frequencies"], distance: number): number {
  using rope = ropewalk.rope({ headDim, frequencies });
  const equal = new Float32Array(headDim).fill(1 / Math.sqrt(headDim));
  return rope.score(equal, equal, [distance]).score[0]!;
}
/** The score of a query and a key that point to angle 0 in `count` pairs from `first` on, and have length 1. */
function strandsScore(first: number, count: number, query: number, key: number): number {
  using rope = ropewalk.rope(STRANDS);
  const x = new Float32Array(STRANDS.headDim);
  for (let j = first; j < first + count; j++) x[2 * j] = Math.sqrt(1 / count);
  const at = (positions: number) => rope.rotate(x, { sequence: 1, heads: 1, positions });
  const k = at(key);
  return at(query).reduce((sum, value, i) => sum + value * k[i]!, 0);
}
function pictureFinds(way: Way, grid: GridName): readonly number[] {
  using rope = ropewalk.rope(optionsOf[way]);
  const query = learn(keysOf(rope, way, "trained"));
  return [grids[grid].size / side, 1].map((by) =>
    hits(keysOf(rope, way, grid), query, [target[0] * by, target[1] * by]),
  );
}
const oneLine = (text: string) => text.replace(/\s+/g, " ");
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

function longContext({ factor, read = [], fail = [], elsewhere = {} }: LongContext): void {
  const { results, task } = recorded("long-context") as {
    results: { rule: string; factor: number; accuracy: number }[];
    task: { chance: number };
  };
  const at = (rule: string, times: number) =>
    median(results.filter((one) => one.rule === rule && one.factor === times).map(({ accuracy }) => accuracy));
  for (const rule of read) expect(at(rule, factor), rule).toBeGreaterThan(0.95);
  for (const rule of fail) expect(at(rule, factor), rule).toBeLessThan(0.5);
  for (const [times, rules] of Object.entries(elsewhere))
    for (const rule of rules) expect(at(rule, Number(times)), `${rule} at ${times}`).toBeLessThan(0.5);
  expect(task.chance).toBeLessThan(0.1);
}

function race({ solve, chance, beginsBelowChance }: Race): void {
  const { runs, chance: guess } = recorded("train") as {
    runs: { encoding: string; once: { accuracy: number[] } }[];
    chance: number;
  };
  const ends = (encoding: string) =>
    runs.filter((run) => run.encoding === encoding).map(({ once }) => once.accuracy.at(-1)!);
  for (const encoding of solve) expect(median(ends(encoding)), encoding).toBeGreaterThan(0.95);
  for (const encoding of chance) expect(Math.abs(median(ends(encoding)) - guess), encoding).toBeLessThan(0.06);
  if (beginsBelowChance) expect(median(runs.map(({ once }) => once.accuracy[0]!))).toBeLessThan(guess);
}

/** Trains on another period than the page does, and tests under the rule. */
async function resonates({ distance, seed, rule, accuracy }: Extract<Claim, { kind: "resonance" }>): Promise<void> {
  const [length, steps] = [24, 600];
  const { config, optimizer } = trainingOf({ length, steps });
  const task = await ropewalk.task({ name: "period", distance, seed });
  const whole = { ...config, vocab_size: task.vocabSize };
  using trainer = await ropewalk.trainer({ config: whole, seed, optimizer });
  while (trainer.step < steps) trainer.train(task.batch({ index: trainer.step, batch: BATCH, sequence: length }));
  const weights = trainer.save();
  for (const [times, share] of Object.entries(accuracy)) {
    const factor = Number(times);
    const scaling = scalingOf(rule, factor, length, usualBetas);
    using other = await ropewalk.trainer({ config: { ...whole, ...scaling }, weights });
    const test = task.batch({ split: "validation", batch: ROWS, sequence: factor * length });
    expect(other.evaluate(test).accuracy, times).toBeCloseTo(share, 2);
  }
}

const llama3 = {
  type: "llama3",
  base: 500000,
  factor: 8,
  lowFrequencyFactor: 1,
  highFrequencyFactor: 4,
  originalMaxPositions: 8192,
} as const;
function bandOf(pair: number): string {
  const [plain, ruled] = [{ type: "default", base: 500000 } as const, llama3].map(
    (frequencies) => frequenciesOf({ headDim: 128, frequencies })[pair]!,
  ) as [number, number];
  const ratio = plain / ruled;
  return ratio < 1 + 1e-9 ? "kept" : ratio > 8 - 1e-9 ? "divided" : "blended";
}

describe("claims of the playground", () => {
  let decoder: Decoder;
  beforeAll(async () => {
    decoder = await ropewalk.decoder(fromRoot("web/public/decoder"), { precision: "int8" });
  });
  afterAll(() => decoder.dispose());

  /** Kullback-Leibler divergence of a fresh pass from the prediction behind a cut of the first `to` tokens but one. */
  function divergence(prompt: string, rotate: boolean): number {
    const tokens = decoder.encode(prompt);
    const kept = [tokens[0]!, ...tokens.slice(17)];
    const logits = (feed: (cache: ReturnType<Decoder["cache"]>) => Float32Array) => {
      using cache = decoder.cache();
      return Float64Array.from(feed(cache));
    };
    const shares = (values: Float64Array) => {
      const most = Math.max(...values);
      const weights = values.map((value) => Math.exp(value - most));
      const sum = weights.reduce((all, weight) => all + weight, 0);
      return weights.map((weight) => weight / sum);
    };
    const fresh = shares(logits((cache) => cache.feed(kept)));
    const cut = shares(
      logits((cache) => {
        cache.feed(tokens.slice(0, -1));
        cache.drop(1, 17, { rotate });
        return cache.feed(tokens.slice(-1));
      }),
    );
    return fresh.reduce((sum, share, i) => sum + share * Math.log(share / cut[i]!), 0);
  }

  /** Nats a token that the text with which the page Generate opens costs without the rotation of a layer. */
  function lossWithout(layer: number): number {
    const ids = decoder.encode(recorded<{ prompt: string }>("generate").prompt);
    using cache = decoder.cache({ withoutRotation: [{ layer }] });
    const logits = cache.feed(ids, { all: true });
    const size = logits.length / ids.length;
    const costs = ids.slice(1).map((id, t) => {
      const row = [...logits.subarray(t * size, (t + 1) * size)];
      return Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0)) - row[id]!;
    });
    return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  }

  function check(claim: Claim, fields: Step["fields"]): void | Promise<void> {
    switch (claim.kind) {
      case "wavelength": {
        const wavelength =
          (2 * Math.PI) / frequenciesOf({ headDim: 128, frequencies: { type: "default", base: 500000 } })[claim.pair]!;
        expect(wavelength / 1e6).toBeCloseTo(claim.millions, 1);
        expect(wavelength).toBeGreaterThan(claim.longerThan);
        return;
      }
      case "bound":
        expect(Math.min(...boundOf(claim, claim.span))).toBeGreaterThanOrEqual(claim.least);
        return;
      case "rises": {
        const bound = boundOf(claim, claim.span);
        expect([...bound].filter((value, n) => n > 0 && value > bound[n - 1]!)).toHaveLength(claim.count);
        return;
      }
      case "returns":
        expect(scoreOf(claim.channels, { type: "default", base: claim.base }, claim.at)).toBeCloseTo(claim.score, 2);
        return;
      case "llama3":
        expect(bandOf(claim.pair)).toBe(claim.band);
        if ("pair" in fields) expect(fields.pair).toBe(String(claim.pair));
        return;
      case "score":
        for (const [alpha, rho, score] of claim.scores)
          expect(scoreOf(64, { type: "receptive-field", base: 10000, alpha, rho }, claim.at)).toBeCloseTo(score, 2);
        return;
      case "long-context":
        longContext(claim);
        return;
      case "race":
        race(claim);
        return;
      case "cut": {
        const found = divergence(String(fields.prompt), claim.rotate);
        if (claim.rotate) expect(found).toBeLessThan(claim.divergenceBelow!);
        else expect(found).toBeGreaterThan(claim.divergenceAbove!);
        return;
      }
      case "zigzag": {
        const { results } = recorded("long-context") as {
          results: { rule: string; factor: number; accuracy: number }[];
        };
        const scaled = results.filter(({ rule, factor }) => claim.rules.includes(rule) && factor !== 1);
        expect(new Set(scaled.map(({ rule }) => rule))).toEqual(new Set(claim.rules));
        for (const { factor, accuracy } of scaled) {
          if (factor === 4) expect(accuracy).toBeGreaterThan(claim.above);
          else expect(accuracy).toBeLessThan(claim.below);
        }
        return;
      }
      case "resonance":
        return resonates(claim);
      case "drope": {
        const { factors, lines } = readJson<{
          factors: number[];
          lines: Record<string, { losses: [median: number, least: number, most: number][] }>;
        }>("web/pages/long-context/drope.json");
        for (const [line, loss] of Object.entries(claim.losses))
          expect(lines[line]!.losses[factors.indexOf(claim.factor)]![0].toFixed(2), line).toBe(loss.toFixed(2));
        return;
      }
      case "picture":
        for (const [way, finds] of Object.entries(claim.finds))
          gridNames.forEach((grid, at) => {
            expect(pictureFinds(way as Way, grid), `${way}, ${grid}`).toEqual(finds[at]);
          });
        return;
      case "unlearned":
        expect(pictureFinds(claim.way, "trained")[0]).toBeLessThan(claim.below);
        return;
      case "target":
        expect([target, side]).toEqual([[claim.rows, claim.columns], claim.side]);
        return;
      case "context":
        expect(checkRope({ config: fields.config as object }).length?.tokens).toBe(claim.original * claim.factor);
        return;
      case "verdict": {
        const { code, outliers } = checkRope({ config: fields.config as object });
        expect(code).toBe(claim.code);
        expect(outliers.map(({ reader }) => reader)).toEqual(claim.differ);
        return;
      }
      case "shape": {
        const { kind, shape, ...said } = claim;
        expect(fields.shape, kind).toBe(shape);
        expect(shapes[shape]).toMatchObject(said);
        return;
      }
      case "swap": {
        const { no, yes } = recorded<Story>("story").answers.on;
        expect(no[1]).toBeGreaterThan(0.95);
        expect(yes[0]! * 100).toBeCloseTo(claim.share, 1);
        return;
      }
      case "heap": {
        const { no, yes } = recorded<Story>("story").answers.off;
        expect(no).toEqual(yes);
        expect(no[0]! * 100).toBeCloseTo(claim.share, 1);
        return;
      }
      case "turn": {
        const theta = frequenciesOf(STRANDS);
        const degrees = (j: number) => (theta[j]! * claim.positions * 180) / Math.PI;
        expect(Math.round(degrees(0))).toBe(claim.fast);
        expect(Math.round(degrees(SLOW))).toBe(claim.slow);
        return;
      }
      case "turns": {
        const { channels: headDim = STRANDS.headDim, base = 10000, pair = 0 } = claim;
        const theta = frequenciesOf({ headDim, frequencies: { type: "default", base } })[pair]!;
        expect((theta * claim.positions) / (2 * Math.PI)).toBeCloseTo(claim.turns, 2);
        return;
      }
      case "pair": {
        expect(QUERY - KEY).toBe(claim.positions);
        const theta = frequenciesOf(STRANDS)[SLOW]!;
        expect(Math.round((theta * claim.positions * 180) / Math.PI)).toBe(claim.degrees);
        for (const moved of [0, claim.moved])
          expect(strandsScore(SLOW, 1, QUERY + moved, KEY + moved)).toBeCloseTo(claim.score, 2);
        return;
      }
      case "strands": {
        const scores = (count: number, n: number) => strandsScore(0, count, n, 0);
        expect(scores(1, claim.at)).toBeCloseTo(claim.one, 2);
        expect(scores(32, claim.at)).toBeCloseTo(claim.all, 2);
        for (let n = claim.from; n <= claim.to; n++) expect(scores(32, n)).toBeLessThan(claim.most);
        expect(scores(32, 1)).toBeCloseTo(claim.next, 2);
        return;
      }
      case "unfinished": {
        using rope = ropewalk.rope(LLAMA);
        expect(TRAINED).toBe(claim.trained);
        expect(rope.frequencies).toHaveLength(claim.of);
        expect(rope.turns(claim.trained).incomplete).toHaveLength(claim.count);
        return;
      }
      case "repairs": {
        const plain = frequenciesOf(repairs.none);
        const slowed = Object.fromEntries(
          Object.entries(repairs).map(([name, options]) => {
            const now = frequenciesOf(options);
            const unseen = plain.filter((was, j) => Number.isFinite(newFrom(was, now[j]!)));
            expect(unseen.length, name).toBe(name === "none" ? 29 : 0);
            return [name, plain.filter((was, j) => now[j]! < was * (1 - 1e-9)).length];
          }),
        );
        // "The repairs differ in how many strands they change."
        expect(slowed).toEqual({ none: 0, all: 64, slow: 35, yarn: 45 });
        return;
      }
      case "microscope": {
        expect(fields.layer).toBe(String(claim.layer));
        const losses = [0, 1, 2, 3, 4].map(lossWithout);
        expect(losses.indexOf(Math.max(...losses))).toBe(claim.layer);
        return;
      }
      case "lanes": {
        const { whole, turned, unturned, fresh } = recorded<Story>("story").lanes;
        expect(turned.text).toBe(fresh.text);
        expect(turned.text).toBe(whole.text);
        expect(Math.abs(turned.sailor - fresh.sailor)).toBeLessThan(0.05);
        expect(unturned.text).not.toBe(fresh.text);
        expect(unturned.sailor).toBeLessThan(0.01);
        return;
      }
    }
  }

  for (const page of pageNames) {
    for (const { says, claim, in: file = "prose.html" } of listed<{ says: string; in?: string; claim: Claim }>(
      page,
      "claims.json",
    ))
      it(`${page}: ${says}`, () => {
        const source = readText(`web/pages/${page}/${file}`);
        expect(oneLine(source)).toContain(oneLine(says));
        return check(claim, {});
      });
    for (const file of ["guide.json", "examples.json"])
      for (const { title, sentence, fields, claim } of listed<Step>(page, file))
        if (claim) it(`${page}, ${title}: ${sentence}`, () => check(claim, fields));
  }

  it("no figure of a guide or an example is a claim that nobody checks", () => {
    // Numbers that repeat what the link itself sets, or that only name a thing.
    const settings = /\b(?:L\d+|I\d+|L15|I3|layer \d|head \d|\d+ positions (?:later|apart)|Llama 3\.1|level \d)\b/g;
    const open = pageNames.flatMap((page) =>
      ["guide.json", "examples.json"].flatMap((file) =>
        listed<Step>(page, file)
          .filter(({ claim, sentence, fields }) => {
            const given = Object.values(fields).join(" ");
            const numbers = sentence.replace(settings, "").match(/\d+(?:\.\d+)?/g) ?? [];
            return !claim && numbers.some((number) => !given.includes(number));
          })
          .map(({ title }) => `${page}: ${title}`),
      ),
    );
    expect(open).toEqual([]);
  });
});
