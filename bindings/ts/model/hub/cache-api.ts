/** Files kept by the Cache API of pages and workers. */
import type { OpenStore } from "./hub.js";
import { Whole } from "./whole.js";

/** An answer that says that there is no such file: the Cache API keeps it as any other. */
const missing = () => new Response(null, { status: 404 });

export const openCacheApi: OpenStore = async (cache) => {
  if (typeof caches === "undefined")
    throw new Error(
      "hubFiles: `cache` needs the Cache API, which this context does not have; pages have it under https",
    );
  const opened = await caches.open(cache === true ? "ropewalk" : cache);
  return {
    async find(address) {
      const response = await opened.match(address);
      if (response === undefined) return undefined;
      return response.status === 404 ? null : response;
    },
    async keep(address, response) {
      if (response.body === null) return response;
      // The size told of a text may be the compressed one, which a page of another origin cannot see.
      const length = /\.(gguf|safetensors)$/.test(address) ? response.headers.get("content-length") : null;
      const whole = new Whole(address, length);
      const seen = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, sink) {
          whole.add(chunk);
          sink.enqueue(chunk);
        },
        flush(sink) {
          if (!whole.holds()) sink.error(new Error("not the file that was announced"));
        },
      });
      const { headers } = response;
      const [passed, kept] = response.body.tee();
      // A cache that is full, or a body that is not whole, keeps nothing, and the model loads all the same.
      opened.put(address, new Response(kept.pipeThrough(seen), { headers })).catch(() => {});
      return new Response(passed, { headers });
    },
    async keepMissing(address) {
      await opened.put(address, missing()).catch(() => {});
    },
  };
};
