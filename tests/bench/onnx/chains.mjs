// Graphs of several chained nodes: what nine take beyond one is the operator alone, without the call and its copies.
import { Graph } from "./graph.mjs";

/** The nodes of the long chain and of the short one. */
export const CHAIN = [9, 1];

/** `nodes` RotaryEmbedding nodes, each on the last one's output; input "x" [batch, sequence, heads * dim], output "y". */
export function rotationChain(nodes, [batch, sequence, heads, dim], pairing, { cos, sin }) {
  const graph = new Graph();
  const shape = [batch, sequence, heads * dim];
  let x = graph.input("x", shape);
  graph.weight("cos", [sequence, dim / 2], cos);
  graph.weight("sin", [sequence, dim / 2], sin);
  graph.weight("position", [1], BigInt64Array.of(0n));
  const attributes = { interleaved: pairing === "interleaved" ? 1 : 0 };
  for (let i = 0; i < nodes; i++) x = graph.node("RotaryEmbedding", [x, "position", "cos", "sin"], attributes, MS);
  return finish(graph, x, shape);
}

const MS = "com.microsoft";

/**
 * `nodes` MatMul nodes: from (m,k) to (m,n) by b (k,n), and where k is not n back by a matrix (n,k), which takes as many
 * operations. `nodes` is odd, so that the last one ends at (m,n).
 */
export function productChain(nodes, [m, k, n], b, back) {
  const graph = new Graph();
  let x = graph.input("x", [m, k]);
  graph.weight("b", [k, n], b);
  if (k !== n) graph.weight("back", [n, k], back);
  for (let i = 0; i < nodes; i++) x = graph.node("MatMul", [x, k !== n && i % 2 === 1 ? "back" : "b"]);
  return finish(graph, x, [m, n]);
}

/** Gives the last value the name "y". */
function finish(graph, last, shape) {
  graph.output(last, shape);
  return { model: graph.model(), output: last };
}
