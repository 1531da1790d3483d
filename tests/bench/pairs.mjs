// The pairs of `npm run bench:compare`: the same candidate from either side, in one process, in the order A B B A.
import { ropewalkTensor } from "./candidates/rotation.mjs";
import { randomFloats } from "./harness/random.mjs";
import { messageOf } from "./harness/sampler.mjs";
import { nodeHost } from "./hosts/node.mjs";
import { tables } from "./reference/rotation.mjs";
import { elementsOf, LENGTHS, PAIRINGS, PRODUCTS, ROTATIONS, shapeText } from "./shapes.mjs";
import { decodeNext, smallest } from "./suites/call.mjs";
import { ropewalkEncoder } from "./suites/encoder.mjs";
import { ropewalkProduct } from "./suites/matmul.mjs";
import { checkpoint } from "./suites/model-source.mjs";
import { trainingStep } from "./suites/training.mjs";

/** [{ title, make(host) }]. `weights` is a checkpoint that both sides read. */
function cases(weights) {
  const list = [];
  for (const pairing of PAIRINGS) {
    for (const [name, { shape }] of Object.entries(ROTATIONS)) {
      const problem = () => ({
        shape,
        pairing,
        x: randomFloats(elementsOf(shape)),
        tables: tables(shape[1], shape[3]),
      });
      list.push({
        title: `rotate ${pairing}, ${name} ${shapeText(shape)}`,
        make: (host) => ropewalkTensor(host, problem()),
      });
    }
  }
  for (const [name, sizes] of Object.entries(PRODUCTS)) {
    list.push({ title: `product ${name.replaceAll("x", " x ")}`, make: (host) => ropewalkProduct(host, sizes) });
  }
  for (const length of LENGTHS) {
    list.push({ title: `encoder, length ${length}`, make: (host) => ropewalkEncoder(host, weights, length) });
  }
  list.push({ title: "a step of training", make: trainingStep });
  list.push({ title: "one call, [1,1,1,8]", make: smallest }, { title: "decode, the next position", make: decodeNext });
  return list;
}

const SAMPLE_MS = 2;

/** Calls `report({ title, base, head })` for each case, lists of paired samples; or with an error. */
export async function comparePairs(sides, rounds, report) {
  const hosts = { base: nodeHost(sides.base), head: nodeHost(sides.head) };
  const weights = await checkpoint(hosts.base);
  for (const { title, make } of cases(weights)) {
    const made = {};
    try {
      for (const side of ["base", "head"]) {
        made[side] = await make(hosts[side]).catch((error) => {
          throw new Error(`${side}: ${messageOf(error)}`);
        });
      }
      report({ title, ...(await alternate(made, rounds)) });
    } catch (error) {
      report({ title, error: messageOf(error) });
    }
    for (const each of Object.values(made)) each.dispose?.();
  }
}

/** A pair is the sum of both samples of a side in one A B B A; each round begins with the other side. */
async function alternate({ base, head }, rounds) {
  const iterations = await iterationsFor([base, head]);
  const times = { base: [], head: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ["base", "head", "head", "base"] : ["head", "base", "base", "head"];
    const sum = { base: 0, head: 0 };
    for (const side of order)
      sum[side] += (await (side === "base" ? base : head).sample(iterations)) / (2 * iterations);
    times.base.push(sum.base);
    times.head.push(sum.head);
  }
  return times;
}

/** As many calls for either side, after both have been called for a while. */
async function iterationsFor(candidates) {
  let iterations = 1;
  for (;;) {
    const times = [];
    for (const each of candidates) times.push(await each.sample(iterations));
    if (Math.min(...times) >= SAMPLE_MS) return iterations;
    iterations *= 2;
  }
}
