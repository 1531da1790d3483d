// The page of `npm run bench:published`; window.report and window.vectors are functions of published/main.mjs.
import { decoderSuite } from "../published/decoder.mjs";
import { encodersSuite, firstVector } from "../published/encoders.mjs";

const SUITES = { encoders: encodersSuite, decoder: decoderSuite };

window.runPublished = (suite, at, options) =>
  SUITES[suite](at, {
    ...options,
    report: (group) => window.report(group),
    vectors: (...all) => window.vectors(...all),
  });

/** The result of `firstVector`, and the bytes that were loaded for it: of weights, and of code and words. */
window.firstPublished = async (key, at) => {
  const { took, dimensions } = await firstVector(key, at);
  const loaded = performance.getEntriesByType("resource");
  const size = (entries) => entries.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
  const isWeights = ({ name }) => /\.(safetensors|onnx)$/.test(name);
  return {
    took,
    dimensions,
    weights: size(loaded.filter(isWeights)),
    code: size(loaded.filter((entry) => !isWeights(entry))),
  };
};
