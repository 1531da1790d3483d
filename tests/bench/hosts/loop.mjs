// Runs one loop in JavaScript in a process or a worker of its own: an engine that has seen other shapes compiles
// the same function to slower code.
import { LOOPS } from "../../../web/pages/speed/javascript-loops.mjs";
import { randomFloats } from "../harness/random.mjs";
import { calling } from "../harness/sampler.mjs";
import { checkRotation, tables } from "../reference/rotation.mjs";
import { elementsOf } from "../shapes.mjs";

/** Answers one request: { make: { loop, pairing, shape } } or { sample: iterations }. */
export function loopAnswerer() {
  let candidate;
  return (request) => {
    if (request.sample !== undefined) return candidate.sample(request.sample);
    const { loop, pairing, shape } = request.make;
    const rotate = LOOPS[loop][pairing];
    const { cos, sin } = tables(shape[1], shape[3]);
    const before = randomFloats(elementsOf(shape));
    const x = before.slice();
    const [batch, sequence, heads, dim] = shape;
    rotate(x, cos, sin, batch, sequence, heads, dim);
    checkRotation(x, before, shape, pairing, { cos, sin });
    candidate = calling(loop, loop, () => rotate(x, cos, sin, batch, sequence, heads, dim));
    return "ok";
  };
}
