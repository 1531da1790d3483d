/** One pass of the model: ids copied in, the outputs that were asked for copied out. */
import type { Core } from "../module/core.js";
import { camelCaseNames } from "../module/errors.js";
import type { Handle } from "../module/handle.js";
import type { NativeEncoder } from "../module/native.js";
import { FORWARD_BLOCK, OUTPUTS, POOLINGS } from "../module/numbers.js";
import { Scratch } from "../module/scratch.js";
import { copyInput, type ReadInput } from "./encoder-input.js";
import type { EncoderOutput, Floats, ReadOutputs } from "./encoder-output.js";

const bitsOf = (outputs: ReadOutputs): number =>
  OUTPUTS.reduce((bits, name, place) => (outputs[name] ? bits | (1 << place) : bits), 0);

/** -1: as the model says. */
const switchOf = (value: boolean | undefined): number => (value === undefined ? -1 : Number(value));

/** `model` owns `native`, and may have been disposed of while its input was read. */
export function runForward(
  core: Core,
  model: Handle,
  native: NativeEncoder,
  input: ReadInput,
  outputs: ReadOutputs,
): EncoderOutput {
  const fn = "forward";
  model.assertLive(fn);
  const { pooling, promptTokens, vector } = outputs;
  const scratch = new Scratch(core, fn);
  try {
    const block = scratch.block(FORWARD_BLOCK, {
      ...copyInput(scratch, input),
      outputs: bitsOf(outputs),
      pooling: pooling === undefined ? -1 : POOLINGS.indexOf(pooling),
      promptTokens,
      normalize: switchOf(vector.normalize),
      dimensions: vector.dimensions,
    });
    if (native.forward(block) !== 0) throw core.failure(undefined, fn);
    return outputsOf(core, native);
  } finally {
    scratch.free();
  }
}

/** Outputs come by name: those that there is one of for each layer become lists. */
function outputsOf(core: Core, native: NativeEncoder): EncoderOutput {
  const output: Record<string, Floats | Floats[]> = {};
  const count = native.outputCount();
  for (let i = 0; i < count; i++) {
    native.outputName(i);
    const name = camelCaseNames(core.text());
    const values = core.float32(native.outputAddress(i), native.outputSize(i)).slice();
    if (native.outputLayer(i) < 0) {
      output[name] = values;
      continue;
    }
    const layers = (output[name] ?? []) as Floats[];
    layers.push(values);
    output[name] = layers;
  }
  return output as unknown as EncoderOutput;
}
