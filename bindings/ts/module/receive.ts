/** Bytes from anywhere, straight into the module's memory. */
import type { Core } from "./core.js";
import type { ByteStream } from "./platform.js";

export interface LoadProgress {
  /**
   * Bytes so far, and in all. The total is undefined until the headers of the weights are there, where neither the server nor
   * the file system says it.
   */
  onProgress?: ((loaded: number, total?: number) => void) | undefined;
  /** Aborting rejects with the signal's reason, also while nothing arrives. */
  signal?: AbortSignal | undefined;
}

/** Gives the bytes to `use` and returns its result; they are in the module only while it runs. */
export async function receive<T>(
  core: Core,
  fn: string,
  name: string,
  stream: ByteStream,
  progress: LoadProgress,
  use: (address: number, size: number) => T,
): Promise<T> {
  const { onProgress, signal } = progress;
  signal?.throwIfAborted();
  let capacity = stream.size ?? 1 << 20;
  let address = core.allocate(fn, `\`${name}\``, capacity);
  let size = 0;
  try {
    for await (const chunk of stream.chunks) {
      signal?.throwIfAborted();
      if (size + chunk.length > capacity) {
        // The size was not known, or not true.
        const larger = Math.max(size + chunk.length, capacity * 2);
        const moved = core.allocate(fn, `\`${name}\``, larger);
        core.bytes(moved, size).set(core.bytes(address, size));
        core.free(address);
        address = moved;
        capacity = larger;
      }
      core.bytes(address + size, chunk.length).set(chunk);
      size += chunk.length;
      onProgress?.(size, stream.size);
    }
    signal?.throwIfAborted();
    return use(address, size);
  } finally {
    core.free(address);
  }
}
