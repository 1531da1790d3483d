/**
 * Modules of models are built with a memory of their own. Here such a module becomes one whose memory is imported and
 * shared, so that workers can run it in the same memory: what the memory begins with is then put there once, and not by
 * every instance. The code stays as it is.
 */

const [IMPORT, MEMORY, DATA, DATA_COUNT] = [2, 5, 11, 12];
/** In an import, a memory; in limits, a maximum, and with it that the memory is shared. */
const [KIND_MEMORY, HAS_MAXIMUM, IS_SHARED] = [2, 1, 2];

class Reader {
  at: number;
  constructor(
    readonly bytes: Uint8Array,
    at = 0,
  ) {
    this.at = at;
  }
  byte(): number {
    return this.bytes[this.at++]!;
  }
  /** A LEB128 number that is not negative. */
  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte();
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }
}

function numberBytes(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...numberBytes(value >>> 7)];
}

interface Section {
  id: number;
  /** Places: where it begins, where its contents do, and its end. */
  begin: number;
  body: number;
  end: number;
}

function sectionsOf(bytes: Uint8Array): Section[] {
  const reader = new Reader(bytes, 8);
  const sections: Section[] = [];
  while (reader.at < bytes.length) {
    const begin = reader.at;
    const id = reader.byte();
    const size = reader.number();
    sections.push({ id, begin, body: reader.at, end: reader.at + size });
    reader.at += size;
  }
  return sections;
}

/** The segments of the data: each a place in memory and its bytes. undefined where they are of another kind. */
function dataOf(bytes: Uint8Array, { body }: Section): [number, Uint8Array][] | undefined {
  const reader = new Reader(bytes, body);
  const segments: [number, Uint8Array][] = [];
  for (let left = reader.number(); left > 0; left--) {
    const [I32_CONST, END] = [0x41, 0x0b];
    if (reader.byte() !== 0 || reader.byte() !== I32_CONST) return undefined;
    const address = reader.number();
    if (reader.byte() !== END) return undefined;
    const size = reader.number();
    segments.push([address, bytes.subarray(reader.at, reader.at + size)]);
    reader.at += size;
  }
  return segments;
}

/** The import of env.memory, shared. */
function importOf(limits: readonly number[]): number[] {
  const text = (name: string) => [name.length, ...new TextEncoder().encode(name)];
  return [...text("env"), ...text("memory"), KIND_MEMORY, HAS_MAXIMUM | IS_SHARED, ...limits.flatMap(numberBytes)];
}

export interface Shared {
  bytes: Uint8Array<ArrayBuffer>;
  memory: WebAssembly.Memory;
}

/** undefined for a module that is not built like ours, and where such a memory cannot be had. */
export function withSharedMemory(bytes: Uint8Array): Shared | undefined {
  const sections = sectionsOf(bytes);
  const find = (id: number) => sections.find((section) => section.id === id);
  const [imports, memories, data] = [find(IMPORT), find(MEMORY), find(DATA)];
  if (imports === undefined || memories === undefined || data === undefined) return undefined;
  const limits = new Reader(bytes, memories.body);
  if (limits.byte() !== 1 || limits.byte() !== HAS_MAXIMUM) return undefined;
  const [initial, maximum] = [limits.number(), limits.number()];
  const segments = dataOf(bytes, data);
  if (segments === undefined) return undefined;
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial, maximum, shared: true });
  } catch {
    return undefined;
  }
  for (const [address, content] of segments) new Uint8Array(memory.buffer, address).set(content);
  const old = new Reader(bytes, imports.body);
  const begin = [...numberBytes(old.number() + 1), ...importOf([initial, maximum])];
  const rest = bytes.subarray(old.at, imports.end);
  const parts: (Uint8Array | number[])[] = [bytes.subarray(0, 8)];
  for (const section of sections) {
    if (section === imports) parts.push([IMPORT, ...numberBytes(begin.length + rest.length), ...begin], rest);
    else if (![MEMORY, DATA, DATA_COUNT].includes(section.id)) parts.push(bytes.subarray(section.begin, section.end));
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return { bytes: whole, memory };
}

/** relaxed.wasm, which imports nothing but a memory, for a shared one. */
export function withSharedImport(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  const imports = sectionsOf(copy).find(({ id }) => id === IMPORT);
  // Behind the number of imports, two names with their lengths, and the kind.
  if (imports !== undefined) copy[imports.body + 1 + 4 + 7 + 1]! |= IS_SHARED;
  return copy;
}
