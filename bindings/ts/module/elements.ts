/** Elements at an address of a module: of WebAssembly, or natively of the process. */
import type { NativeMemory } from "./native.js";

export interface ElementsOf<View> {
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): View;
  readonly BYTES_PER_ELEMENT: number;
}

/**
 * A view of the memory. Natively that holds what JavaScript allocates; of what the library allocated for itself, which
 * nobody writes to, it is a copy.
 */
export function elementsAt<View>(
  native: Pick<NativeMemory, "wasmMemory" | "memoryAddress" | "copy">,
  kind: ElementsOf<View>,
  address: number,
  length: number,
): View {
  const { buffer } = native.wasmMemory;
  if (native.memoryAddress === undefined) return new kind(buffer, address, length);
  const at = address - native.memoryAddress;
  if (at >= 0 && at < buffer.byteLength) return new kind(buffer, at, length);
  return new kind(native.copy!(address, length * kind.BYTES_PER_ELEMENT));
}
