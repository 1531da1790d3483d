// A decoder of SmolLM2-135M's shape: tokens one by one, a prompt at once, and what is done to its cache.
import { WasmModule } from "../candidates/wasm-module.mjs";
import { openOnnx, openRopewalk, openWllama } from "../decoders/engines.mjs";
import { CACHED, DECODER, idsOf, multiplied, STRETCH } from "../decoders/shape.mjs";
import { WORK } from "../decoders/work.mjs";
import { measureGroup } from "../harness/group.mjs";
import { awaiting, calling } from "../harness/sampler.mjs";
import { cosineOf } from "../models/engines.mjs";

/** Both have the same weights in 8 bits, rounded differently, and activations of 7 and 8 bits. */
const ALIKE = 0.97;

const timingOf = ({ quick, long }) => ({
  rounds: quick ? 3 : 15,
  sampleMs: 100,
  budgetMs: quick ? 500 : long ? 6000 : 3000,
  atLeast: 3,
});

export async function decodersSuite(host, options) {
  const timing = timingOf(options);
  // Both onnxruntimes share a registry of backends: the one that is loaded first keeps the name "cpu".
  await host.ortNative?.();
  const engines = [{ key: "ropewalk", label: "ropewalk, int8", engine: await openRopewalk(host) }];
  for (const [variant, called] of Object.entries({ relaxed: "relaxed SIMD", native: "ropewalk-native" })) {
    if (!host.variants.includes(variant)) continue;
    const opened = await tried(() => openRopewalk(host, variant));
    engines.push({ key: `ropewalk-${variant}`, label: `ropewalk, int8, ${called}`, ...opened });
  }
  engines.push({ key: "ort-q8", label: "onnxruntime-web, q8", ...(await tried(() => openOnnx(host))) });
  if (host.ortNative)
    engines.push({
      key: "native-q8",
      label: "onnxruntime-node, q8",
      ...(await tried(() => openOnnx(host, host.ortNative))),
    });
  const own = engines[0].engine;
  const wllama = host.wllama === undefined ? undefined : await tried(() => openWllama(host));
  await checkAlike(engines);
  for (const held of CACHED) options.report(await decodeGroup(host, engines, wllama, held, timing));
  options.report(await prefillGroup(host, engines, wllama, timing));
  options.report(await movesGroup(host, own, timing));
  for (const { engine } of [...engines, ...(wllama ? [wllama] : [])]) await engine?.dispose();
}

async function tried(open) {
  try {
    return { engine: await open() };
  } catch (error) {
    return { error };
  }
}

/** The logits behind a prompt; an engine whose logits are others is left out. */
async function checkAlike(engines) {
  let first;
  for (const entry of engines) {
    if (entry.engine === undefined) continue;
    entry.engine.hold(0);
    const logits = Float32Array.from(await entry.engine.step(idsOf(24)));
    first ??= logits;
    entry.cosine = cosineOf(first, logits);
    if (!(entry.cosine >= ALIKE)) {
      entry.error = new Error(`its logits are wrong: their cosine to the first is ${entry.cosine}`);
    }
  }
}

const makersOf = (engines, candidateOf) =>
  engines.map(({ key, label, engine, error, cosine }) => ({
    key,
    label,
    make: async () => {
      if (error !== undefined) throw error;
      return { ...(await candidateOf(engine)), cosine };
    },
  }));

/** By its own clock; a call is a sample, and none is tried before. */
const wllamaMakers = (wllama, candidateOf) =>
  wllama === undefined
    ? []
    : [
        {
          key: "wllama",
          label: "wllama, Q8_0",
          make: () => {
            if (wllama.error !== undefined) throw wllama.error;
            return { sample: candidateOf(wllama.engine), took: Number.POSITIVE_INFINITY };
          },
        },
      ];

function decodeGroup(host, engines, wllama, held, timing) {
  const bytes = multiplied(DECODER);
  return measureGroup({
    suite: "decoders",
    host: host.name,
    key: `decode/${held}`,
    title: `${DECODER.title}, a token behind ${held}`,
    work: { unit: "GB/s", amount: bytes },
    makers: [
      ...makersOf(engines, (engine) => {
        const run = WORK.decode(engine, held);
        return engine.cache === undefined ? awaiting("", "", run) : calling("", "", run);
      }),
      ...wllamaMakers(wllama, (engine) => engine.decode(held)),
      { key: "plain-c", label: "the products alone: plain C, emcc -O3 -msimd128", make: () => plainLoop(host) },
      { key: "read", label: "the limit: each weight's byte read once", make: () => reading(host, bytes) },
    ],
    timing,
  });
}

/** Products of a whole token's weights in blocks of 32 with a scale each, as llama2.c's runq.c has them. */
async function plainLoop(host) {
  const module = await WasmModule.from(await host.module("decoder-limits"));
  const { hidden, layers, heads, keyHeads, dim, intermediate, vocabulary } = DECODER;
  const layer = [
    [(heads + 2 * keyHeads) * dim, hidden],
    [hidden, heads * dim],
    [2 * intermediate, hidden],
    [hidden, intermediate],
  ];
  const products = [...Array.from({ length: layers }, () => layer).flat(), [vocabulary, hidden]];
  const bytes = products.reduce((sum, [rows, columns]) => sum + rows * columns, 0);
  const weights = filled(module, bytes);
  const scales = module.put(new Float32Array(bytes / 32).fill(1e-3));
  const x = module.put(Float32Array.from({ length: intermediate }, (_, i) => ((i * 37) % 101) / 50 - 1));
  const [q, qScales] = [module.room(intermediate / 4), module.room(intermediate / 32)];
  const y = module.room(vocabulary);
  const run = () => {
    let at = 0;
    for (const [rows, columns] of products) {
      module.plain_quantise(q, qScales, x, columns);
      module.plain_blocks(y, q, qScales, weights + at, scales + at / 8, columns, rows);
      at += rows * columns;
    }
  };
  module.plain_quantise(q, qScales, x, hidden);
  module.plain_blocks(y, q, qScales, weights, scales, hidden, 4);
  checkLoop(module, { q, qScales, weights, y });
  return calling("", "", run);
}

/** One row against float64. */
function checkLoop(module, { q, qScales, weights, y }) {
  const { hidden } = DECODER;
  const bytes = (address) => new Int8Array(module.memory().buffer, address, hidden);
  const [a, w, steps] = [bytes(q), bytes(weights), module.view(qScales, hidden / 32)];
  let sum = 0;
  for (let i = 0; i < hidden; i++) sum += a[i] * w[i] * steps[i >> 5] * 1e-3;
  if (!(Math.abs(module.view(y, 1)[0] - sum) <= 1e-3 * Math.max(1, Math.abs(sum))))
    throw new Error("its result is wrong");
}

/** `bytes` of signed numbers in the module. */
function filled(module, bytes) {
  const address = module.room(bytes / 4);
  const view = new Int8Array(module.memory().buffer, address, bytes);
  for (let i = 0; i < bytes; i++) view[i] = ((i * 31) % 251) - 125;
  return address;
}

async function reading(host, bytes) {
  const module = await WasmModule.from(await host.module("decoder-limits"));
  const size = Math.floor(bytes / 128) * 128;
  const address = filled(module, size);
  return calling("", "", () => module.limit_read(address, size));
}

function prefillGroup(host, engines, wllama, timing) {
  return measureGroup({
    suite: "decoders",
    host: host.name,
    key: "prefill",
    title: `${DECODER.title}, a prompt of ${STRETCH} tokens`,
    work: { unit: "GOP/s", amount: 2 * multiplied(DECODER) * STRETCH },
    makers: [
      ...makersOf(engines, async (engine) => {
        const run = WORK.prefill(engine);
        const begun = performance.now();
        await run();
        return { ...awaiting("", "", run), took: performance.now() - begun };
      }),
      ...wllamaMakers(wllama, (engine) => engine.prefill(STRETCH)),
    ],
    timing: { ...timing, rounds: 7 },
  });
}

/** Operations on the cache, beside the prefill that they save. */
function movesGroup(host, engine, timing) {
  const { model, cache } = engine;
  const chunk = model.chunk(idsOf(STRETCH));
  const timed = (held, move) => ({
    sample(iterations) {
      let took = 0;
      for (let i = 0; i < iterations; i++) {
        engine.hold(held);
        const copy = cache.fork();
        const begun = performance.now();
        move(copy);
        took += performance.now() - begun;
        copy.dispose();
      }
      return took;
    },
  });
  return measureGroup({
    suite: "decoders",
    host: host.name,
    key: "moves",
    title: `${DECODER.title}, ${STRETCH} tokens of a cache`,
    makers: [
      {
        key: "drop",
        label: `dropping them from ${4 * STRETCH}`,
        make: () => timed(4 * STRETCH, (copy) => copy.drop(100, 100 + STRETCH)),
      },
      { key: "append", label: "appending them as a chunk", make: () => timed(100, (copy) => copy.append(chunk)) },
      {
        key: "prefill",
        label: "computing them",
        make: () => ({
          ...calling("", "", () => {
            engine.hold(0);
            cache.feed(idsOf(STRETCH));
          }),
          took: 1000,
        }),
      },
    ],
    timing: { ...timing, rounds: 7 },
  });
}
