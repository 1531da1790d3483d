/** Unpacks bytes that the build put into the JavaScript: base64, then gzip. */
export async function unpack(gzippedBase64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(gzippedBase64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
