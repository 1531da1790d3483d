// How fast training is.
import { percent, table } from "./words.mjs";

const giga = (value) => (value / 1e9).toFixed(1);
const thousand = (value) => (value / 1e3).toFixed(1);

export function throughputSection(throughput) {
  if (!throughput) return "";
  const { commit, date, load } = throughput;
  const tried = commit ? ` Commit ${commit}, ${date}; ${load} processes ran or waited in the minute before.` : "";
  const rows = throughput.sizes.map((size) => [
    `${size.model.hidden_size} hidden, ${size.model.num_hidden_layers} layers, ${size.model.batch} x ${size.model.length} tokens`,
    String(size.parameters),
    thousand(size.tokensPerSecond),
    giga(size.multiplyAddsPerSecond),
    giga(size.productPeak),
    percent(size.shareOfPeak),
    thousand(size.wasmTokensPerSecond),
    percent(size.wasmShare),
  ]);
  return `## Training throughput

\`npm run experiments -- --throughput\`: whole steps (forward, backward, clipping, AdamW) of RoPE on *order*, one thread, medians of ${throughput.rounds} rounds in which native and WebAssembly take turns. The peak is the library's own matrix product of 256 x 256 x 256 in the same process; multiply-adds are those of the matrix products of a step, the backward pass counted as twice the forward one, and everything else counts as time only. Node ${throughput.machine.node}, ${throughput.machine.processor}, native kernels ${throughput.sizes[0].architecture}.${tried}

${table(["model", "parameters", "native, thousand tokens/s", "10^9 multiply-adds/s", "product's peak", "share of it", "WASM, thousand tokens/s", "WASM share of native"], rows)}
`;
}
