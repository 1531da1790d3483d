// A group of rows: what was sampled together, and may be compared.

import { messageOf, sampleAll } from "./sampler.mjs";
import { differencePerNode, summary } from "./statistics.mjs";

/**
 * Makes the candidates, samples them and sums up. `makers` is [{ key, label, make() }], make giving a candidate that has
 * been checked, or throwing: a peer that fails to start is a row that says so. `chains` is [{ key, label, long, short,
 * nodes: [long, short] }], rows derived from two others. `work` is bytes or operations per call:
 * { unit: "GB/s" or "GFLOP/s", amount }.
 */
export async function measureGroup({ suite, host, key, title, work, makers, chains = [], timing }) {
  const rows = [];
  const candidates = [];
  for (const maker of makers) {
    try {
      candidates.push({ ...(await maker.make()), key: maker.key, label: maker.label, ...maker.more });
    } catch (error) {
      rows.push({ key: maker.key, label: maker.label, error: messageOf(error) });
    }
  }
  const sampled = await sampleAll(candidates, timing);
  for (const { samples, error, ...about } of sampled) {
    const taken = samples.filter((each) => each !== undefined);
    rows.push(error === undefined ? { ...about, ...summary(taken) } : { ...about, error });
  }
  for (const { long, short, nodes, ...about } of chains) {
    const [a, b] = [long, short].map((each) => sampled.find((row) => row.key === each && row.error === undefined));
    const each = a && b ? differencePerNode(a.samples, b.samples, ...nodes) : [];
    rows.push(each.length > 0 ? { ...about, ...summary(each) } : { ...about, error: "its graphs did not run" });
  }
  for (const candidate of candidates) await candidate.dispose?.();
  const order = [...makers, ...chains].map((each) => each.key);
  rows.sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
  return { suite, host, key, title, work, rows };
}
