/** Reading from the web, in pages, workers and Node. */
import { failure } from "./errors.js";
import type { ByteStream } from "./platform.js";

/**
 * Chunks of a stream, by its reader: Safari cannot iterate over streams. Leaving the loop early cancels it, and so does
 * the signal, also while nothing arrives.
 */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  // Nobody waits for it: the source may take as long as it likes to end.
  const cancel = () => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The body of an answer; an Error that names the address and the status when the server refused. */
export function responseStream(response: Response, signal?: AbortSignal): ByteStream {
  if (!response.ok) {
    const { status, statusText } = response;
    const message = `${response.url || "the response"} could not be loaded: ${status} ${statusText}`.trimEnd();
    // Readers of optional files look for a status that says "not found".
    throw Object.assign(failure("network", "", message), { status });
  }
  if (response.body === null) throw new Error(`${response.url || "the response"} has no content`);
  // A compressed answer says the size of what travels, not of what arrives here.
  const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
  const isSize = length !== null && /^\d{1,15}$/.test(length);
  return { size: isSize ? Number(length) : undefined, chunks: chunksOf(response.body, signal), response };
}

export async function openUrl(location: URL | string, signal?: AbortSignal): Promise<ByteStream> {
  const response = await fetch(location, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw failure("network", "", `${location} could not be reached`, {}, { cause });
  });
  return responseStream(response, signal);
}
