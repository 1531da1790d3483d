/** CRC-32 as PNG has it: of a chunk's type and data. */
function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** An iTXt chunk (PNG, third edition, 11.3.3.4): a keyword and a text in UTF-8. */
function chunk(keyword: string, text: string): Uint8Array<ArrayBuffer> {
  const content = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`);
  const whole = new Uint8Array(content.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, content.length - 4);
  whole.set(content, 4);
  view.setUint32(content.length + 4, crc(content));
  return whole;
}

/** The signature and the header chunk, after which texts may stand. */
const HEADER = 33;

/** The same picture with texts in its metadata. */
export function withTexts(png: Blob, texts: Readonly<Record<string, string>>): Blob {
  const chunks = Object.entries(texts).map(([keyword, text]) => chunk(keyword, text));
  return new Blob([png.slice(0, HEADER), ...chunks, png.slice(HEADER)], { type: png.type });
}
