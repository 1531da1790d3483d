/**
 * A tokenizer.json with changes, or any text as one: it is refused, or it has an id for each token of a text, offsets that lie
 * within it, and a beginning whose tokens are those of the whole. An input is the number of a file, texts, and changes.
 */
import { readdirSync } from "node:fs";
import type { ErrorDetails } from "ropewalk";
import { loadTokenizer, type Tokenizer } from "../../../bindings/ts/model/text/tokenizer.js";
import { truncated } from "../../../bindings/ts/model/text/truncate.js";
import { answers, changed } from "../../ts/changed-files.js";
import { decoderFiles } from "../../ts/decoder-folder.js";
import { goldenUrl, readGolden } from "../../ts/golden.js";
import { bytePairs, unigram, vocabulary } from "../../ts/model-folder.js";
import { must, Numbers } from "./input.js";

/** Characters from which on a text is read from its beginning. */
const LONG = 1 << 14;

const golden = readdirSync(goldenUrl("offsets"))
  .filter((file) => file.endsWith(".json"))
  .sort()
  .map((file) => readGolden<{ tokenizer: object }>(`offsets/${file}`).tokenizer);
const FILES: unknown[] = [
  unigram(),
  bytePairs(),
  decoderFiles()["tokenizer.json"],
  new TextDecoder().decode(vocabulary()),
  ...golden,
];

function sourceOf(input: Numbers): unknown {
  const which = input.whole(31);
  if (which >= FILES.length) return new TextDecoder().decode(input.rest());
  let file = FILES[which];
  while (!input.ended) {
    const change = input.change();
    // A vocab.txt is a text.
    file = typeof file === "string" ? file + String(change[1]) : changed(file, change);
  }
  return file;
}

export async function fuzz(bytes: Uint8Array): Promise<void> {
  const input = new Numbers(bytes);
  const [text, pair] = [input.text(60), input.whole(1) === 1 ? input.text(20) : undefined];
  const source = sourceOf(input);
  const tokenizer = await answers(["encoder"], () =>
    loadTokenizer({ fn: "encoder", argument: "tokenizer.json", source, modelType: "bert" }),
  );
  if (tokenizer === undefined) return;
  await tokenizer.loadOffsets();
  const framed = await answers(["embed"], () => tokenizer.encode("embed", text, pair));
  if (framed === undefined) return;
  const { inputIds, tokens } = framed.encoded;
  must(inputIds.length === tokens.length && inputIds.every(Number.isInteger), "each token has an id");
  const cut = truncated(framed, 5).encoded.inputIds;
  must(cut.every(Number.isInteger), "what is cut has ids");
  await answers(["embed"], () => {
    tokenizer.addOffsets("embed", framed, [text, pair], false);
    const longest = Math.max(text.length, pair?.length ?? 0);
    for (const [from, to] of framed.encoded.offsets!)
      must(0 <= from && from <= to && to <= longest, `the offsets ${from} to ${to} lie within the text`);
  });
  await answers(["decode"], () => {
    const said = tokenizer.decode(inputIds, true);
    must(typeof said === "string", "ids become text");
  });
  await answers(["encodeChat"], () => tokenizer.encodeBetween("encodeChat", text, (part) => part));
  tokenizer.pieces();
  // Seldom, since it takes long. A pattern of the file may take the square or the cube of a text's length.
  if (text.length % 8 !== 5 || /Regex/.test(JSON.stringify(source))) return;
  const long = `${text} `.repeat(Math.ceil(LONG / (text.length + 1)));
  await tokenizer.loadBeginnings(long);
  const [begun, whole] = [9, undefined].map((most) => idsOf(tokenizer, long, most));
  must(
    begun === undefined || whole === undefined || begun.join() === whole.join(),
    "a beginning has the tokens of the whole",
  );
}

/** Ids of a text, cut to 9. With `most` the rest of it need not be read. */
function idsOf(tokenizer: Tokenizer, text: string, most: number | undefined): number[] | undefined {
  try {
    return truncated(tokenizer.encode("embed", text, undefined, most), 9).encoded.inputIds;
  } catch (error) {
    // A token without an id, or too many characters, may come later in the text.
    must((error as Partial<ErrorDetails>).function === "embed", String(error));
    return undefined;
  }
}
