/** As unpack-web.ts, by zlib, which Node has at hand before its web streams. */
export async function unpack(gzippedBase64: string): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded here, since most never unpack anything.
  const { gunzipSync } = await import("node:zlib");
  return new Uint8Array(gunzipSync(Buffer.from(gzippedBase64, "base64")));
}
