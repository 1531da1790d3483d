/** Reading from the web, in pages, workers and Node. */
import type { ByteStream } from "./platform.js";

/** Chunks of a stream, by its reader: Safari cannot iterate over streams. Leaving the loop early cancels it. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** The body of an answer; an Error that names the address and the status when the server refused. */
export function responseStream(response: Response): ByteStream {
  if (!response.ok) {
    throw new Error(
      `${response.url || "the response"} could not be loaded: ${response.status} ${response.statusText}`.trimEnd(),
    );
  }
  if (response.body === null) throw new Error(`${response.url || "the response"} has no content`);
  // A compressed answer says the size of what travels, not of what arrives here.
  const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
  return { size: length === null ? undefined : Number(length), chunks: chunksOf(response.body) };
}

export async function openUrl(location: URL | string, signal?: AbortSignal): Promise<ByteStream> {
  return responseStream(await fetch(location, signal === undefined ? {} : { signal }));
}
