// The contract of speed, each row a ratio of two rows of one group.

import { CACHED } from "../decoders/shape.mjs";
import { ratio } from "../harness/statistics.mjs";
import * as models from "../models/shapes.mjs";
import { LENGTHS, PAIRINGS, PRODUCTS, ROTATIONS } from "../shapes.mjs";

/** The rows of one group that a contract compares, by their keys, some of them the best of several. */
function pick(group, key) {
  const rows = group.rows.filter((row) => row.error === undefined && matches(row.key, key));
  if (rows.length === 0) return null;
  const speed = (row) => (row.amount ?? group.work?.amount ?? 1) / row.median;
  return rows.reduce((best, row) => (speed(row) > speed(best) ? row : best));
}

const matches = (key, wanted) => (wanted.endsWith("*") ? key.startsWith(wanted.slice(0, -1)) : key === wanted);

/** Rows with different amounts of work are compared by the time for the work of the first. */
function scaled(row, group, work) {
  const own = row.amount ?? group.work?.amount;
  if (own === undefined || own === work) return row;
  const by = (time) => (time * work) / own;
  return { median: by(row.median), q1: by(row.q1), q3: by(row.q3), min: by(row.min) };
}

/** Members that every row has; `key` names it in notes and documents. */
const rowOf = (id, what, group, target) => ({
  id,
  host: group.host,
  case: group.title,
  key: `${id}/${group.host}/${group.key}`,
  what,
  target,
});

/**
 * How many times as fast as `other`, or the share of its speed: at least the target. A target of null was dropped, since this
 * hardware cannot reach it; the note of the row says why.
 */
function versus(id, what, group, other, target, { own = "ropewalk", derived = false } = {}) {
  const [mine, theirs] = [pick(group, own), pick(group, other)];
  const about = { ...rowOf(id, what, group, target), atLeast: true };
  if (mine === null || theirs === null || theirs.median <= 0) {
    return { ...about, verdict: "not measured", why: whyNot(group, own) ?? whyNot(group, other) };
  }
  const work = mine.amount ?? group.work?.amount;
  const other_ = scaled(theirs, group, work);
  const { median, low, high } = ratio(other_, mine);
  // The smallest difference of two noisy rows is no measure of the faster one.
  const best = derived ? null : other_.min / mine.min;
  return { ...about, value: median, low, high, best, verdict: verdictOf({ low, high }, target) };
}

/** A figure that must not be above the target. `value` of a row is made by `of`. */
function atMost(id, what, group, own, target, unit, of = (row) => row) {
  const row = pick(group, own);
  const about = { ...rowOf(id, what, group, target), unit, atLeast: false };
  if (row === null) return { ...about, verdict: "not measured", why: whyNot(group, own) };
  // A difference of two rows that scatter may come out below zero: then it is no measurement.
  if (row.q1 <= 0) return { ...about, verdict: "not measured", why: "the difference is within the noise" };
  const { median, q1, q3, min } = of(row);
  return {
    ...about,
    value: median,
    low: q1,
    high: q3,
    best: min > 0 ? min : null,
    verdict: verdictOf({ low: -q3, high: -q1 }, -target),
  };
}

/** Met where the worse quartile meets the target as well, short where not even the better one does. */
function verdictOf({ low, high }, target) {
  if (target === null) return "no target";
  if (low >= target) return "met";
  return high >= target ? "within the spread" : "short";
}

/** The reason why rows of that key were not measured. */
const whyNot = (group, key) => group.rows.find((row) => matches(row.key, key) && row.error !== undefined)?.error;

const times = (row, factor) => ({
  median: row.median * factor,
  q1: row.q1 * factor,
  q3: row.q3 * factor,
  min: row.min * factor,
});

/** Every row of the contract that `groups` speak of. */
export function contractRows(groups) {
  const rows = [];
  const at = (suite, host, key) =>
    groups.find((each) => each.suite === suite && each.host === host && each.key === key);
  const add = (group, make) => {
    if (group !== undefined) rows.push(...make(group));
  };
  for (const host of ["node", "chromium"]) {
    for (const pairing of PAIRINGS) {
      for (const name of Object.keys(ROTATIONS))
        add(at("rotation", host, `${pairing}/${name}`), (g) => rotation(g, pairing, name));
    }
    for (const name of Object.keys(PRODUCTS)) {
      add(at("matmul", host, name), (group) => [
        versus("matmul-peak", "of the multiply-add peak", group, "peak-*", peakTarget(host, name)),
        versus("matmul-ort", "x onnxruntime-web's op", group, "ort-op", null, { derived: true }),
      ]);
    }
    for (const length of LENGTHS) {
      add(at("encoder", host, String(length)), (group) => [
        versus("encoder-ort", "x onnxruntime-web", group, "ort-call", host === "node" ? 1.4 : null),
      ]);
    }
    add(at("call", host, "call"), (group) => [
      atMost("call", "a call on a Tensor, beyond its kernel", group, "beyond", 150, "ns", (row) => times(row, 1e6)),
    ]);
    add(at("call", host, "table"), (group) => {
      const known = pick(group, "known");
      const share = (row) => times(row, known === null ? Number.NaN : 1 / known.median);
      return [atMost("table", "the exact table, of rotating 32 heads with it", group, "table", 0.25, "", share)];
    });
    // A pair of numbers is read and written, and its cos and sin are read as well: three transfers in place of two.
    add(at("call", host, "heads"), (group) => [
      versus("heads", "of the speed with one list for all heads", group, "shared", 0.65, { own: "own" }),
    ]);
    for (const name of ["A", "B"]) {
      add(at("call", host, `elements/${name}`), (group) =>
        ["bfloat16", "float16"].map((own) =>
          versus(
            `elements-${own}`,
            `${own}, of the speed of float32`,
            group,
            "float32",
            own === "float16" ? null : 0.5,
            {
              own,
            },
          ),
        ),
      );
    }
  }
  rows.push(...modelRows(groups), ...decoderRows(groups));
  add(at("startup", "node", "startup"), (group) => [
    atMost("startup", "the first rotation, after import", group, "ropewalk-imported", 5, "ms"),
  ]);
  add(at("training", "node", "step"), (group) => [
    versus("training", "of the forward pass's rate, backward and AdamW", group, "forward", 0.7, { own: "backward" }),
  ]);
  add(at("batches", "node", "batch"), (group) => [
    versus("threads", "of the rate of 2 workers, one call on 2 threads", group, "workers-2", 0.85, {
      own: "threads-2",
    }),
  ]);
  for (const work of ["prefill", "decode"]) {
    add(at("batches", "node", `decoder/${work}`), (group) => [
      versus("threads", "of the rate of 2 instances, one call on 2 threads", group, "instances-2", 0.85, {
        own: "threads-2",
      }),
    ]);
  }
  for (const pairing of PAIRINGS) {
    for (const name of Object.keys(ROTATIONS)) {
      add(at("native", "native", `rotation/${pairing}/${name}`), (group) => [
        versus("native-gcc", "x the loop of g++ -march=native", group, "plain-gcc", 1),
        versus("native-clang", "x the loop of clang++ -march=native", group, "plain-clang", 1),
        versus("native-ort", "x onnxruntime-node's op", group, "ort-op", 1, { derived: true }),
      ]);
    }
  }
  return rows;
}

function rotation(group, pairing, name) {
  const half = pairing === "half";
  const inMemory = ROTATIONS[name].resident === "memory";
  const share = inMemory ? 0.85 : half ? 0.6 : 0.45;
  // Nobody is faster than the memory of the machine: what leaves the caches is asked for its share of scaling in place.
  const inCache = (target) => (inMemory || name === "D" ? null : target);
  return [
    versus("rotation-ort", "x onnxruntime-web's op", group, "ort-op", inCache(half ? 25 : 13), { derived: true }),
    versus("rotation-js", "x the best loop in JavaScript", group, "js-*", inCache(5)),
    versus("rotation-js-copies", "x the best loop in JavaScript, on an array", group, "js-*", null, {
      own: "ropewalk-copies",
    }),
    versus("rotation-plain-c", "x plain C by the same emcc", group, "plain-c", half ? 1 : null),
    versus("rotation-limit", "of scaling in place", group, "scale", share),
  ];
}

/** One row of weights is used once, so that the cache bounds it and not the multiplier. */
const peakTarget = (host, name) => (name.startsWith("1x") ? null : host === "node" ? 0.8 : 0.95);

/** Encoders of true shapes beside onnxruntime-web, at the faster of its graphs. */
function modelRows(groups) {
  const own = groups.filter(({ suite }) => suite === "models");
  const on = (host, key) => own.filter((group) => group.host === host && group.key === key);
  const rows = [];
  const addon = { own: "ropewalk-native" };
  for (const host of ["node", "chromium"]) {
    for (const name of Object.keys(models.MODELS)) {
      for (const length of models.LENGTHS) {
        for (const group of on(host, `${name}/float32/${length}`)) {
          if (host === "node")
            rows.push(
              versus("models-native", "x onnxruntime-node, native code", group, "native", null),
              versus("addon-float32", "ropewalk-native, x onnxruntime-node", group, "native", 1, addon),
              versus("library-float32", "the C++ library, x onnxruntime-node", group, "native", 1, { own: "library" }),
            );
          rows.push(versus("models-float32", "x onnxruntime-web", group, "ort-*", host === "node" ? 1.3 : null));
        }
        for (const group of on(host, `${name}/int8/${length}`)) {
          const relaxed = { own: "ropewalk-relaxed" };
          rows.push(versus("models-int8", "x onnxruntime-web's q8", group, "ort-*", null));
          if (host === "node")
            rows.push(
              versus("addon-int8", "ropewalk-native, x onnxruntime-node's q8", group, "native", 0.9, addon),
              versus("library-int8", "the C++ library, x onnxruntime-node's q8", group, "native", 0.9, {
                own: "library",
              }),
            );
          // Node 20, which measures, has no relaxed SIMD that computes right.
          if (host === "node") continue;
          rows.push(
            versus("models-relaxed", "x its q8, relaxed SIMD", group, "ort-*", length === 512 ? 1.4 : 1.8, relaxed),
          );
        }
      }
    }
    for (const group of on(host, "first-vector")) {
      rows.push(
        versus("models-first-vector", "x onnxruntime-web's q8", group, "ort-q8", 3, { own: "ropewalk-int8-file" }),
        atMost("models-code", "of onnxruntime-web's code, in bytes", codeOf(group), "ropewalk-int8", 0.1, ""),
      );
    }
  }
  for (const group of on("node", "windows")) {
    rows.push(versus("models-windows", "x itself with full attention", group, "full", 1.3));
  }
  for (const group of on("node", "embeds")) {
    const grown = ({ memory: { start, end } }) => same(end.module / start.module);
    rows.push(atMost("models-memory", "x the module's memory at the start", group, "ropewalk", 1, "", grown));
  }
  return rows;
}

/** A decoder beside onnxruntime-web, a plain loop, and the limit of memory. */
function decoderRows(groups) {
  const on = (key) => groups.filter(({ suite, key: own }) => suite === "decoders" && own === key);
  /** The engine that `load()` chooses without ropewalk-native. */
  const fastestOf = ({ host }) => ({ own: host === "node" ? "ropewalk" : "ropewalk*" });
  const addon = { own: "ropewalk-native" };
  const rows = [];
  for (const held of CACHED) {
    for (const group of on(`decode/${held}`)) {
      const target = (number) => (group.host === "node" ? null : number);
      const fastest = fastestOf(group);
      if (group.host === "node")
        rows.push(
          versus("decode-addon", "ropewalk-native, of reading each weight's byte once", group, "read", 0.6, addon),
          versus("decode-addon-ort", "ropewalk-native, x onnxruntime-node's q8", group, "native-q8", null, addon),
        );
      rows.push(
        versus("decode-limit", "of reading each weight's byte once", group, "read", target(0.6), fastest),
        versus("decode-ort", "x onnxruntime-web's q8", group, "ort-q8", target(2), fastest),
        versus("decode-plain-c", "x plain C by the same emcc, its products alone", group, "plain-c", 1.5, fastest),
      );
    }
  }
  for (const group of on("prefill")) {
    if (group.host === "node")
      rows.push(
        versus("prefill-addon-ort", "ropewalk-native, x onnxruntime-node's q8", group, "native-q8", null, addon),
      );
    rows.push(
      versus(
        "prefill-ort",
        "x onnxruntime-web's q8",
        group,
        "ort-q8",
        group.host === "node" ? null : 2.5,
        fastestOf(group),
      ),
    );
  }
  for (const group of on("moves")) {
    const whole = pick(group, "prefill");
    const share = (row) => same(whole === null ? Number.NaN : row.median / whole.median);
    for (const move of ["drop", "append"])
      rows.push(atMost(`decoder-${move}`, `${move}: of the prefill it saves`, group, move, 0.03, "", share));
  }
  for (const group of on("many")) {
    const grown = ({ memory: { start, end } }) => same(end.module / start.module);
    rows.push(atMost("decoder-memory", "x the module's memory at the start", group, "ropewalk", 1, "", grown));
  }
  return rows;
}

const same = (value) => ({ median: value, q1: value, q3: value, min: value });

/** The group with each engine's code as a share of onnxruntime-web's. */
function codeOf(group) {
  const whole = pick(group, "ort-q8")?.code;
  const rows = whole === undefined ? [] : group.rows;
  return { ...group, rows: rows.map((row) => ({ ...row, ...same(row.code / whole) })) };
}
