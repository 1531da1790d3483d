/** Files that lie beside the package's JavaScript, in Node. */
import { readFileSync } from "node:fs";

/**
 * The file, if it is there and has that many bytes: a bundled program may leave it behind, or have another of
 * its name. `location` may throw, since bundles of CommonJS have no import.meta.url.
 */
export function readBeside(location: () => URL, size: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = readFileSync(location());
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}
