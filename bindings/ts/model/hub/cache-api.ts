/** Files kept by the Cache API of pages and workers. */
import type { OpenStore } from "./hub.js";

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
      // A cache that is full keeps nothing, and the model loads all the same.
      opened.put(address, response.clone()).catch(() => {});
      return response;
    },
    async keepMissing(address) {
      await opened.put(address, missing()).catch(() => {});
    },
  };
};
