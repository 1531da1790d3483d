/** Floats in a JSON file: the base64 of their bytes, little-endian, which is a third of their decimals and loses nothing. */
export function textOfFloats(values: Float32Array): string {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export const floatsOfText = (text: string): Float32Array =>
  new Float32Array(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
