/**
 * A GGUF file of an encoder with changes, or any bytes as one: an error that names the function, or vectors; and no memory
 * is left. An input that is no such file itself is the number of a file, and changes near its beginning.
 */
import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { answers } from "../../ts/changed-files.js";
import { goldenUrl } from "../../ts/golden.js";
import { must, Numbers } from "./input.js";

const FILES = ["bert-q8_0", "modern-bert-q8_0"].map((name) => readFileSync(goldenUrl(`gguf-2/${name}.gguf`)));
/** Metadata, vocabulary and tensor infos end here. */
const HEADER = 8192;

const ropewalk = await load();
for (const file of FILES) (await ropewalk.encoder({ "model.gguf": new Uint8Array(file) })).dispose();

function fileOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (String.fromCharCode(...bytes.subarray(0, 4)) === "GGUF") return new Uint8Array(bytes);
  const input = new Numbers(bytes);
  let file = new Uint8Array(FILES[input.whole(1)]!);
  while (!input.ended) {
    const how = input.whole(7);
    const at = (input.byte() * 256 + input.byte()) % Math.max(1, Math.min(HEADER, file.length));
    const others = input.bytes(16);
    const [before, rest] = [file.subarray(0, at), file.subarray(at)];
    const parts =
      how === 0
        ? [before, rest.subarray(others.length)]
        : how === 1
          ? [before, others, rest]
          : how === 2 && others.length === 0
            ? [before]
            : [before, others, rest.subarray(others.length)];
    file = new Uint8Array(Buffer.concat(parts));
  }
  return file;
}

export async function fuzz(bytes: Uint8Array): Promise<void> {
  const file = fileOf(bytes);
  const before = ropewalk.stats();
  const model = await answers(["encoder"], () => ropewalk.encoder({ "model.gguf": file }));
  if (model !== undefined) {
    await answers(["embed"], () => model.embed(["the rope", "w\u00e9 \u4e2d"]));
    model.dispose();
  }
  const { handles, heapBytes } = ropewalk.stats();
  must(handles === before.handles && heapBytes - before.heapBytes < 8192, "no memory is left");
}
