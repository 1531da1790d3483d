// ONNX models, written field by field (onnx.proto3 of ONNX 1.17).
import { Message } from "./protobuf.mjs";

export const FLOAT = 1;
export const INT32 = 6;
const TYPES = new Map([
  [Float32Array, FLOAT],
  [Int8Array, 3],
  [Int32Array, INT32],
  [BigInt64Array, 7],
]);

/** A graph under construction; model() gives the bytes of the file, parts() the same in pieces. */
export class Graph {
  #nodes = [];
  #weights = [];
  #inputs = [];
  #outputs = [];
  #names = 0;
  #opset;

  constructor({ opset = 21 } = {}) {
    this.#opset = opset;
  }

  /** Adds a node and returns the name of its output. `domain` is "" for ONNX's own operators. */
  node(type, inputs, attributes = {}, domain = "") {
    return this.nodeOf(type, inputs, [true], attributes, domain)[0];
  }

  /** Adds a node of several outputs, and returns the names of those that are `wanted`. An input "" is left out. */
  nodeOf(type, inputs, wanted, attributes = {}, domain = "") {
    const outputs = wanted.map((each) => (each ? `t${this.#names++}` : ""));
    const node = new Message();
    for (const input of inputs) node.string(1, input);
    for (const output of outputs) node.string(2, output);
    node.string(4, type);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    node.string(7, domain);
    this.#nodes.push(node);
    return outputs.filter((each) => each !== "");
  }

  /** A constant: a Float32Array, an Int8Array, an Int32Array or a BigInt64Array. */
  weight(name, dims, values) {
    const tensor = new Message();
    for (const dim of dims) tensor.integer(1, dim);
    tensor.integer(2, TYPES.get(values.constructor)).string(8, name);
    tensor.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#weights.push(tensor);
    return name;
  }

  input(name, dims, type = "float") {
    this.#inputs.push(valueInfo(name, dims, type));
    return name;
  }

  /** An output of the graph, by the name of its value or by another. */
  output(value, dims, name = value) {
    if (name !== value) this.#nodes.push(new Message().string(1, value).string(2, name).string(4, "Identity"));
    this.#outputs.push(valueInfo(name, dims, "float"));
  }

  model() {
    return this.#message().encoded();
  }

  parts() {
    return this.#message().parts;
  }

  #message() {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.string(2, "bench");
    for (const weight of this.#weights) graph.message(5, weight);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const model = new Message().integer(1, 10).string(2, "ropewalk-bench").message(7, graph);
    model.message(8, new Message().string(1, "").integer(2, this.#opset));
    model.message(8, new Message().string(1, "com.microsoft").integer(2, 1));
    return model;
  }
}

/** Whole numbers are INT, lists of them INTS; a float is { float: value }. */
function attribute(name, value) {
  const message = new Message().string(1, name);
  if (Array.isArray(value)) {
    for (const each of value) message.integer(8, each);
    return message.integer(20, 7);
  }
  if (typeof value === "object") return message.float(2, value.float).integer(20, 1);
  return message.integer(3, value).integer(20, 2);
}

/** A dimension is a number, or a name where it may be any. */
function valueInfo(name, dims, type) {
  const shape = new Message();
  for (const dim of dims) {
    shape.message(1, typeof dim === "string" ? new Message().string(2, dim) : new Message().integer(1, dim));
  }
  const tensor = new Message().integer(1, type === "float" ? FLOAT : TYPES.get(BigInt64Array)).message(2, shape);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}
