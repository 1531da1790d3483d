/** As unpack-web.ts, by zlib, which Node has at hand before its web streams. */
import { gunzipSync } from "node:zlib";

export async function unpack(gzippedBase64: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(gunzipSync(Buffer.from(gzippedBase64, "base64")));
}
