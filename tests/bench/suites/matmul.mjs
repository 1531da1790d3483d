// The matrix product of the model, weights packed beforehand, against what else multiplies in WebAssembly.
import { WasmModule } from "../candidates/wasm-module.mjs";
import { measureGroup } from "../harness/group.mjs";
import { randomFloats } from "../harness/random.mjs";
import { awaiting, calling } from "../harness/sampler.mjs";
import { CHAIN, productChain } from "../onnx/chains.mjs";
import { checkProduct } from "../reference/product.mjs";
import { PRODUCTS } from "../shapes.mjs";

export async function matmulSuite(host, { timing, quick, report }) {
  report(await peakGroup(host, timing));
  for (const [name, sizes] of Object.entries(PRODUCTS)) {
    if (quick && name !== "128x256x256") continue;
    report(await productGroup(host, name, sizes, timing, quick));
  }
}

const PEAK_ROUNDS = 20_000;

/** Multiply-adds on as many accumulators as the engine keeps in registers: the best of several ways. */
async function limitOf(host, name, rounds) {
  const module = await WasmModule.from(await host.module("limits"));
  const run = module[`limit_multiply_add_${name}`];
  if (!Number.isFinite(run(100, 1))) throw new Error("its result is wrong");
  let kept = 1;
  return calling("", "", () => {
    // The result goes in again, so that no call can be left out; scaled down, or it would grow.
    kept = 1 + 1e-9 * run(rounds, kept);
  });
}

/** By how many accumulators each way has. */
const PEAKS = [
  ["8", 8, "8 accumulators"],
  ["10", 10, "10 accumulators"],
  ["12", 12, "12 accumulators"],
  ["loaded", 8, "4 x 2 accumulators, factors loaded"],
];

const peakMakers = (host) =>
  PEAKS.map(([name, accumulators, label]) => {
    const rounds = Math.floor(PEAK_ROUNDS / accumulators);
    return {
      key: `peak-${name}`,
      label: `the limit: multiply-adds, ${label}`,
      make: () => limitOf(host, name, rounds),
      more: { amount: rounds * accumulators * 8 },
    };
  });

function peakGroup(host, timing) {
  return measureGroup({
    suite: "matmul",
    host: host.name,
    key: "peak",
    title: "multiply-adds on registers",
    work: { unit: "GFLOP/s", amount: PEAK_ROUNDS * 8 },
    makers: peakMakers(host),
    timing,
  });
}

/** a (m,k), b (k,n), and how to check their product. */
function problemOf(sizes) {
  const [m, k, n] = sizes;
  const a = randomFloats(m * k, 2);
  const b = randomFloats(k * n, 3);
  return { a, b, check: (c) => checkProduct(c, a, b, sizes) };
}

/** The kernel that the model calls, b given as checkpoints hold it and packed beforehand. */
export async function ropewalkProduct(host, sizes, { a, b, check } = problemOf(sizes)) {
  const [m, k, n] = sizes;
  const transposed = new Float32Array(k * n);
  for (let i = 0; i < k; i++) for (let j = 0; j < n; j++) transposed[j * k + i] = b[i * n + j];
  const module = await WasmModule.from(await host.module("kernels"));
  const [x, weight, c] = [module.put(a), module.put(transposed), module.room(m * n)];
  const packed = module.room(module.kernel_packed_size(k, n));
  module.kernel_pack(weight, packed, k, n);
  module.kernel_gemm(x, packed, c, m, k, n);
  check(module.view(c, m * n));
  return calling("", "", () => module.kernel_gemm(x, packed, c, m, k, n));
}

function productGroup(host, name, sizes, timing, quick) {
  const [m, k, n] = sizes;
  const problem = problemOf(sizes);
  const { a, b, check } = problem;
  const plain = async () => {
    const module = await WasmModule.from(await host.module("plain"));
    const [x, weight, c] = [module.put(a), module.put(b), module.room(m * n)];
    module.plain_product(c, x, weight, m, k, n);
    check(module.view(c, m * n));
    return calling("", "", () => module.plain_product(c, x, weight, m, k, n));
  };
  const onnx = async (nodes) => {
    const ort = await host.ort();
    // Small numbers, so that nine products in a row stay finite.
    const small = (count, seed) => randomFloats(count, seed).map((each) => each / Math.sqrt(k));
    const chained = productChain(nodes, sizes, nodes === 1 ? b : small(k * n, 3), small(n * k, 4));
    const session = await ort.open(chained.model);
    const feeds = { x: new ort.Tensor("float32", a, [m, k]) };
    const once = (await session.run(feeds))[chained.output].data;
    if (nodes === 1) check(once);
    return awaiting("", "", () => session.run(feeds), { dispose: () => session.release() });
  };
  const tf = async () => {
    const tfjs = await host.tf();
    const [x, weight] = [tfjs.tensor(a, [m, k]), tfjs.tensor(b, [k, n])];
    const once = tfjs.matMul(x, weight);
    check(once.dataSync());
    once.dispose();
    return calling("", "", () => tfjs.matMul(x, weight).dispose(), { dispose: () => tfjs.dispose([x, weight]) });
  };

  const [long, short] = CHAIN;
  return measureGroup({
    suite: "matmul",
    host: host.name,
    key: name,
    title: name.replaceAll("x", " x "),
    work: { unit: "GFLOP/s", amount: 2 * m * k * n },
    makers: [
      { key: "ropewalk", label: "ropewalk, weight packed", make: () => ropewalkProduct(host, sizes, problem) },
      { key: "plain-c", label: "plain C, emcc -O3 -msimd128", make: plain },
      { key: "ort-call", label: "onnxruntime-web, call", make: () => onnx(short) },
      { key: "ort-long", label: `onnxruntime-web, ${long} nodes`, make: () => onnx(long) },
      ...(quick ? [] : [{ key: "tfjs", label: "tfjs, wasm backend", make: tf }]),
      ...peakMakers(host),
    ],
    chains: [{ key: "ort-op", label: "onnxruntime-web, op alone", long: "ort-long", short: "ort-call", nodes: CHAIN }],
    timing,
  });
}
