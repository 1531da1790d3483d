/** The float32 values of all tensors of a model.safetensors whose names end so, in the order of their names. */
export function valuesEndingIn(file: Uint8Array<ArrayBuffer>, ending: string): number[] {
  const headerLength = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerLength))) as Record<
    string,
    { data_offsets: [begin: number, end: number] }
  >;
  const names = Object.keys(header).filter((name) => name.endsWith(ending));
  return names.sort().flatMap((name) => {
    const [begin, end] = header[name]!.data_offsets.map((at) => 8 + headerLength + at);
    return Array.from(new Float32Array(file.slice(begin, end).buffer));
  });
}
