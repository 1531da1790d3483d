/** The float32 tensors of a model.safetensors by their names: { name: { shape, values } }. */
export function readSafetensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerSize = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerSize)));
  const tensors = {};
  for (const [name, about] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    // BERT's checkpoints hold the positions 0, 1, 2, ... as well.
    if (name.endsWith("position_ids")) continue;
    if (about.dtype !== "F32") throw new Error(`${name} is ${about.dtype}, not F32`);
    const [begin, end] = about.data_offsets;
    const values = new Float32Array(bytes.slice(8 + headerSize + begin, 8 + headerSize + end).buffer);
    // With and without the prefix of a model that has a head.
    tensors[name.replace(/^roformer\./, "")] = { shape: about.shape, values };
  }
  return tensors;
}
