// The cost of a call beside its kernel; the table; 16-bit elements.
import { measureGroup } from "../harness/group.mjs";
import { randomFloats } from "../harness/random.mjs";
import { calling } from "../harness/sampler.mjs";
import { checkRotation, tables } from "../reference/rotation.mjs";
import { elementsOf, ROTATIONS, shapeText } from "../shapes.mjs";

export async function callSuite(host, { timing, quick, report }) {
  report(await callGroup(host, timing));
  report(await tableGroup(host, timing));
  report(await headsGroup(host, timing));
  for (const name of quick ? ["A"] : ["A", "B"]) report(await elementGroup(host, name, timing));
}

/** A rope and a tensor of the shape, checked; `run(rope, tensor)` is what is timed. */
async function rotating(host, shape, run, { at = () => undefined, frequencies } = {}) {
  const ropewalk = await host.ropewalk();
  const pairing = "half";
  const rope = ropewalk.rope({ headDim: shape[3], pairing, ...frequencies?.(ropewalk) });
  const x = randomFloats(elementsOf(shape));
  const tensor = ropewalk.tensor(shape, x);
  run(rope, tensor);
  checkRotation(tensor.data, x, shape, pairing, tables(shape[1], shape[3], at()));
  const dispose = () => {
    tensor.dispose();
    rope.dispose();
  };
  return calling("", "", () => run(rope, tensor), { dispose });
}

/** One vector of pairs, as little kernel as there can be: fewer channels would take longer, through a padded copy. */
const SMALLEST = [1, 1, 1, 8];
const rotateSmallest = (rope, x) => rope.rotate(x, { sequence: 1, heads: 1 });
export const smallest = (host) => rotating(host, SMALLEST, rotateSmallest);

/** A token in each of so many calls, and so many tokens in one call: what differs is the calls. */
const TOKENS = 64;
const inManyCalls = (host) =>
  rotating(host, SMALLEST, (rope, x) => {
    for (let i = 0; i < TOKENS; i++) rotateSmallest(rope, x);
  });
const inOneCall = (host) =>
  rotating(host, SMALLEST.with(1, TOKENS), (rope, x) => rope.rotate(x, { sequence: TOKENS, heads: 1 }));

const DECODE = ROTATIONS.C.shape;

/** A model decodes at the next position every time. */
export function decodeNext(host) {
  const [batch, sequence, heads] = DECODE;
  const placement = { batch, sequence, heads, positions: 0 };
  let position = 4096;
  const step = (rope, x) => {
    placement.positions = position++;
    rope.rotate(x, placement);
  };
  return rotating(host, DECODE, step, { at: () => position - 1 });
}

function callGroup(host, timing) {
  const [batch, sequence, heads] = DECODE;
  const fixed = { batch, sequence, heads };
  const shape = shapeText(DECODE);
  return measureGroup({
    suite: "call",
    host: host.name,
    key: "call",
    title: "one call on a Tensor",
    makers: [
      { key: "smallest", label: `rotate ${shapeText(SMALLEST)}`, make: () => smallest(host) },
      { key: "many", label: `${TOKENS} tokens in as many calls`, make: () => inManyCalls(host) },
      { key: "one", label: `${TOKENS} tokens in one call`, make: () => inOneCall(host) },
      {
        key: "decode",
        label: `rotate C ${shape}, the same position`,
        make: () => rotating(host, DECODE, (rope, x) => rope.rotate(x, fixed)),
      },
      {
        key: "decode-next",
        label: `rotate C ${shape}, the next position every time`,
        make: () => decodeNext(host),
      },
    ],
    chains: [
      { key: "beyond", label: "a call beyond its kernel (difference)", long: "many", short: "one", nodes: [TOKENS, 1] },
    ],
    timing,
  });
}

/** The same rotation with the table at hand, and with one that has to be built: the difference is the table. */
function tableGroup(host, timing) {
  const { shape } = ROTATIONS.B;
  const [batch, sequence, heads] = shape;
  const placement = { batch, sequence, heads, positions: 0 };
  let start = 0;
  return measureGroup({
    suite: "call",
    host: host.name,
    key: "table",
    title: `the exact table of B ${shapeText(shape)}`,
    work: { unit: "GB/s", amount: 8 * elementsOf(shape) },
    makers: [
      {
        key: "known",
        label: "rotate, the table at hand",
        make: () => rotating(host, shape, (rope, x) => rope.rotate(x, { batch, sequence, heads })),
      },
      {
        key: "built",
        label: "rotate, the table built as well",
        make: () =>
          rotating(
            host,
            shape,
            (rope, x) => {
              start += sequence;
              placement.positions = start;
              rope.rotate(x, placement);
            },
            { at: () => start },
          ),
      },
    ],
    chains: [{ key: "table", label: "the table alone (difference)", long: "built", short: "known", nodes: [1, 0] }],
    timing,
  });
}

/** One list of frequencies for all heads, and a list for each: as many turns, with a table as often as there are heads. */
function headsGroup(host, timing) {
  const { shape } = ROTATIONS.A;
  const [batch, sequence, heads, headDim] = shape;
  const rotate = (rope, x) => rope.rotate(x, { batch, sequence, heads });
  const ofEachHead = (ropewalk) => {
    const shared = ropewalk.rope({ headDim });
    const frequencies = Array.from({ length: heads }, () => [...shared.frequencies]).flat();
    shared.dispose();
    return { frequencies: { type: "custom", frequencies } };
  };
  return measureGroup({
    suite: "call",
    host: host.name,
    key: "heads",
    title: `frequencies of each head's own, A ${shapeText(shape)}`,
    work: { unit: "GB/s", amount: 8 * elementsOf(shape) },
    makers: [
      { key: "shared", label: "one list for all heads", make: () => rotating(host, shape, rotate) },
      {
        key: "own",
        label: "a list for each head",
        make: () => rotating(host, shape, rotate, { frequencies: ofEachHead }),
      },
    ],
    timing,
  });
}

/** The upper half of a float32, by truncation: which pattern is nearest does not matter to the time. */
const bfloat16 = (x) => Uint16Array.from(x, (_, i) => new Uint32Array(x.buffer)[i] >>> 16);

function elementGroup(host, name, timing) {
  const { shape } = ROTATIONS[name];
  const [batch, sequence, heads] = shape;
  const placement = { batch, sequence, heads };
  const sixteen = (dtype, patterns) => async () => {
    const ropewalk = await host.ropewalk();
    const rope = ropewalk.rope({ headDim: shape[3], pairing: "half" });
    const tensor = ropewalk.tensor(shape, patterns, dtype);
    rope.rotate(tensor, placement);
    rope.unrotate(tensor, placement);
    // bfloat16 has 8 bits, float16 11; there and back is two roundings, of numbers below 1.5.
    const off = tensor.data.findIndex(
      (each, i) => Math.abs(numberOf(each, dtype) - numberOf(patterns[i], dtype)) > 0.02,
    );
    if (off >= 0) throw new Error(`its result is wrong at ${off}`);
    const dispose = () => {
      tensor.dispose();
      rope.dispose();
    };
    return calling("", "", () => rope.rotate(tensor, placement), { dispose });
  };
  const patterns = bfloat16(randomFloats(elementsOf(shape)));
  return measureGroup({
    suite: "call",
    host: host.name,
    key: `elements/${name}`,
    title: `element types, half, ${name} ${shapeText(shape)}`,
    makers: [
      { key: "float32", label: "float32", make: () => rotating(host, shape, (rope, x) => rope.rotate(x, placement)) },
      { key: "bfloat16", label: "bfloat16", make: sixteen("bfloat16", patterns) },
      { key: "float16", label: "float16", make: sixteen("float16", patterns.map(halfOf)) },
    ],
    timing,
  });
}

/** A float16 of about the same size as the bfloat16: its sign and exponent, and the first bits of its fraction. */
function halfOf(pattern) {
  const exponent = ((pattern >> 7) & 255) - 112;
  return (pattern & 0x8000) | (exponent > 0 ? (exponent << 10) | ((pattern & 127) << 3) : 0);
}

function numberOf(pattern, dtype) {
  const sign = pattern & 0x8000 ? -1 : 1;
  if (dtype === "bfloat16") return sign * (1 + (pattern & 127) / 128) * 2 ** (((pattern >> 7) & 255) - 127);
  const exponent = (pattern >> 10) & 31;
  const fraction = (pattern & 1023) / 1024;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}
