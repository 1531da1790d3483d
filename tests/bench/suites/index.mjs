// The suites that run in Node and in a page alike, by name.
import { batchesSuite } from "./batches.mjs";
import { callSuite } from "./call.mjs";
import { decodersSuite } from "./decoders.mjs";
import { encoderSuite } from "./encoder.mjs";
import { matmulSuite } from "./matmul.mjs";
import { modelsSuite } from "./models.mjs";
import { rotationSuite } from "./rotation.mjs";
import { trainingSuite } from "./training.mjs";

export const SUITES = {
  rotation: rotationSuite,
  matmul: matmulSuite,
  encoder: encoderSuite,
  call: callSuite,
  training: trainingSuite,
  batches: batchesSuite,
  models: modelsSuite,
  decoders: decodersSuite,
};
