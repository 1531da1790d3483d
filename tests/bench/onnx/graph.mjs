// ONNX models, written field by field (onnx.proto3 of ONNX 1.17).
import { Message } from "./protobuf.mjs";

const FLOAT = 1;
const INT64 = 7;

/** A graph under construction; model() gives the bytes of the file. */
export class Graph {
  #nodes = [];
  #weights = [];
  #inputs = [];
  #outputs = [];
  #names = 0;

  /** Adds a node and returns the name of its output. `domain` is "" for ONNX's own operators. */
  node(type, inputs, attributes = {}, domain = "") {
    const output = `t${this.#names++}`;
    const node = new Message();
    for (const input of inputs) node.string(1, input);
    node.string(2, output).string(4, type);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    node.string(7, domain);
    this.#nodes.push(node);
    return output;
  }

  /** A constant: a Float32Array, or a BigInt64Array. */
  weight(name, dims, values) {
    const tensor = new Message();
    for (const dim of dims) tensor.integer(1, dim);
    tensor.integer(2, values instanceof Float32Array ? FLOAT : INT64).string(8, name);
    tensor.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#weights.push(tensor);
    return name;
  }

  input(name, dims, type = "float") {
    this.#inputs.push(valueInfo(name, dims, type));
    return name;
  }

  output(name, dims) {
    this.#outputs.push(valueInfo(name, dims, "float"));
  }

  model() {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.string(2, "bench");
    for (const weight of this.#weights) graph.message(5, weight);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const model = new Message().integer(1, 10).string(2, "ropewalk-bench").message(7, graph);
    model.message(8, new Message().string(1, "").integer(2, 21));
    model.message(8, new Message().string(1, "com.microsoft").integer(2, 1));
    return model.encoded();
  }
}

/** Whole numbers are INT; a float is { float: value }. */
function attribute(name, value) {
  const message = new Message().string(1, name);
  if (typeof value === "object") return message.float(2, value.float).integer(20, 1);
  return message.integer(3, value).integer(20, 2);
}

function valueInfo(name, dims, type) {
  const shape = new Message();
  for (const dim of dims) shape.message(1, new Message().integer(1, dim));
  const tensor = new Message().integer(1, type === "float" ? FLOAT : INT64).message(2, shape);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}
