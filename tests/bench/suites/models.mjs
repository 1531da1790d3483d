// Encoders of true shapes beside onnxruntime-web: float32, and int8 beside what transformers.js calls q8.
import { measureGroup } from "../harness/group.mjs";
import { checked, openOnnx, openRopewalk } from "../models/engines.mjs";
import { LENGTHS, MODELS, operations, PRECISIONS } from "../models/shapes.mjs";
import { firstVectorGroup } from "./first-vector.mjs";

/** Operations of a call that takes seconds. */
const SLOW = 5e10;

/** Samples are few, and as many as fit: both hosts together take some six minutes on a quiet machine. */
const timingOf = (work, { quick, long }) => ({
  rounds: quick ? 3 : 15,
  sampleMs: 30,
  budgetMs: quick ? 200 : long ? 6000 : 1500,
  atLeast: long ? 5 : work > SLOW ? 2 : 3,
});

export async function modelsSuite(host, options) {
  for (const name of Object.keys(MODELS)) {
    /** By length, the result that all others are compared with: float32's. */
    const firsts = new Map();
    for (const precision of PRECISIONS) {
      const engines = await openAll(host, enginesOf(host, name, precision));
      for (const length of options.quick ? LENGTHS.slice(0, 1) : LENGTHS) {
        if (!firsts.has(length)) firsts.set(length, {});
        options.report(
          await lengthGroup(host, { name, precision, length, first: firsts.get(length) }, engines, options),
        );
      }
      // Before the next ones are loaded: float32 of the larger shape is 600 MB for each engine.
      for (const { engine } of engines) await engine?.dispose();
    }
  }
  if (host.firstVector) options.report(await firstVectorGroup(host, host.firstVector, options));
}

/** [{ key, label, open() }], Ropewalk first. */
function enginesOf(host, name, precision) {
  const onnx = (key, label, ort, form) => ({
    key,
    label,
    open: async () => openOnnx(host, await ort(), name, `${precision}-${form}`),
  });
  return [
    { key: "ropewalk", label: `ropewalk, ${precision}`, open: () => openRopewalk(host, name, precision) },
    ...(precision === "int8" && host.variants.includes("relaxed")
      ? [
          {
            key: "ropewalk-relaxed",
            label: "ropewalk, int8, relaxed SIMD",
            open: () => openRopewalk(host, name, precision, {}, "relaxed"),
          },
        ]
      : []),
    ...(host.variants.includes("native")
      ? [
          {
            key: "ropewalk-native",
            label: `ropewalk, ${precision}, ropewalk-native`,
            open: () => openRopewalk(host, name, precision, {}, "native"),
          },
        ]
      : []),
    ...(precision === "int8"
      ? [onnx("ort-exported", "onnxruntime-web, q8 as transformers.js has it", host.ort, "exported")]
      : []),
    onnx(
      "ort-fused",
      `onnxruntime-web, ${precision === "int8" ? "q8" : precision}, fused operators`,
      host.ort,
      "fused",
    ),
    ...(host.library
      ? [
          {
            key: "library",
            label: "ropewalk, the C++ library, 1 thread",
            open: () => host.library(name, precision),
          },
        ]
      : []),
    ...(host.ortNative ? [onnx("native", "onnxruntime-node: native code, 1 thread", host.ortNative, "fused")] : []),
  ];
}

/** [{ key, label, engine, error }]: one that does not open is said so by each group. */
async function openAll(host, engines) {
  // Both onnxruntimes share a registry of backends: the one that is loaded first keeps the name "cpu".
  await host.ortNative?.();
  const opened = [];
  for (const { key, label, open } of engines) {
    try {
      opened.push({ key, label, engine: await open() });
    } catch (error) {
      opened.push({ key, label, error });
    }
  }
  return opened;
}

function lengthGroup(host, { name, precision, length, first }, engines, options) {
  const work = operations(MODELS[name], length);
  return measureGroup({
    suite: "models",
    host: host.name,
    key: `${name}/${precision}/${length}`,
    title: `${MODELS[name].title}, ${precision}, ${length} tokens`,
    work: { unit: precision === "int8" ? "GOP/s" : "GFLOP/s", amount: work },
    makers: engines.map(({ key, label, engine, error }) => ({
      key,
      label,
      make: async () => {
        if (error !== undefined) throw error;
        return checked(engine, length, first, precision);
      },
    })),
    timing: timingOf(work, options),
  });
}
