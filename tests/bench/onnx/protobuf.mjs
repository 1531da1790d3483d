// As much of protobuf's wire format as an ONNX file needs.

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

/** A message, field by field, in the order of the calls. */
export class Message {
  #parts = [];
  #size = 0;

  /** The encoding in pieces, of which the large ones are the caller's own arrays. */
  get parts() {
    return this.#parts;
  }

  #push(bytes) {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    return this;
  }

  #varint(value) {
    const bytes = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
      const low = Number(rest & 127n);
      rest >>= 7n;
      bytes.push(rest === 0n ? low : low | 128);
    } while (rest !== 0n);
    return this.#push(Uint8Array.from(bytes));
  }

  #tag(field, kind) {
    return this.#varint(field * 8 + kind);
  }

  /** Any whole number of int64; negative ones take ten bytes, as the format says. */
  integer(field, value) {
    return this.#tag(field, VARINT).#varint(value);
  }

  float(field, value) {
    return this.#tag(field, FIXED32).#push(new Uint8Array(Float32Array.of(value).buffer));
  }

  bytes(field, value) {
    return this.#tag(field, BYTES).#varint(value.length).#push(value);
  }

  string(field, value) {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field, value) {
    this.#tag(field, BYTES).#varint(value.#size);
    for (const part of value.#parts) this.#parts.push(part);
    this.#size += value.#size;
    return this;
  }

  encoded() {
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
