/** Any bytes as the file of an index: an error that names the function, or an index that answers, takes and saves entries. */
import { load } from "ropewalk";
import { answers } from "../../ts/changed-files.js";
import { must } from "./input.js";

const ropewalk = await load();

export async function fuzz(bytes: Uint8Array): Promise<void> {
  const before = ropewalk.stats();
  // A place of its own, which does not begin at a multiple of 4.
  const saved = new Uint8Array(bytes.length + 1).subarray(1);
  saved.set(bytes);
  const index = await answers(["index"], async () => ropewalk.index({ saved }));
  if (index === undefined) {
    const { handles, heapBytes } = ropewalk.stats();
    must(handles === before.handles && heapBytes - before.heapBytes < 8192, "a refused index leaves nothing");
    return;
  }
  const { dimensions, size } = index;
  const query = Float32Array.from({ length: dimensions }, (_, i) => (i % 7) - 2);
  const search = () => index.search(query, { k: 3, where: () => true });
  const hits = await answers(["search"], search);
  must(hits!.length === Math.min(3, size), "there are as many hits as entries");
  must(
    hits!.every(({ score }) => Math.abs(score) < 1.001),
    "a score is a cosine",
  );
  const again = index.save();
  const other = ropewalk.index({ saved: again });
  must(JSON.stringify(other.search(query, { k: 3 })) === JSON.stringify(hits), "an index is read as it was saved");
  other.dispose();
  index.add({ id: "new", vector: query });
  must(
    index.search(query, { k: size + 1 }).some(({ id }) => id === "new"),
    "an entry that is added is found",
  );
  for (const { id } of hits!) must(index.remove(id), "a hit can be removed");
  index.dispose();
}
