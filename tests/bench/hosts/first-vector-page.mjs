// A fresh page, in a process of its own: what models/first-vector.mjs gives, and the bytes that were loaded for it.
import { firstVector } from "../models/first-vector.mjs";

const bytes = async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer());

/** Called by hosts/browser.mjs. */
window.firstVector = async (request) => {
  const before = performance.getEntriesByType("resource").length;
  const { took, vector } = await firstVector(request, bytes);
  const loaded = performance.getEntriesByType("resource").slice(before);
  const size = (entries) => entries.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
  const isWeights = ({ name }) => name === request.weights;
  return {
    took,
    vector,
    code: size(loaded.filter((entry) => !isWeights(entry))),
    weights: size(loaded.filter(isWeights)),
  };
};
