import { question } from "../../model/question.js";
import { visit } from "../../state/address.js";
import { type Run, weightsOf } from "./race.js";

/**
 * tokenizer.json of a task: words between spaces, each one a token. WordPiece finds whole words first, and a task's words
 * are all in the vocabulary.
 */
function tokenizerOf(symbols: readonly string[]): object {
  const vocab = Object.fromEntries(symbols.map((symbol, id) => [symbol, id]));
  const special = symbols.flatMap((content, id) =>
    /^\[.+\]$/.test(content)
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  );
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: false },
    model: {
      type: "WordPiece",
      unk_token: symbols[0],
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

async function filesOf(run: Run) {
  const { weights, sample } = await weightsOf(run);
  const json = (value: object) => new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: "application/json" });
  const files = {
    "config.json": json(run.spec!.config),
    "model.safetensors": new Blob([weights], { type: "application/octet-stream" }),
    "tokenizer.json": json(tokenizerOf(run.begun.symbols)),
  };
  return { files, sample: sample.join(" ") };
}

/** The three files of the checkpoint, one download each. */
export async function saveWeights(run: Run): Promise<void> {
  const [{ files }, { download }] = await Promise.all([filesOf(run), import("../../export/save.js")]);
  for (const [name, content] of Object.entries(files)) download(content, name);
}

/** The model as it is now becomes that of the RoFormer page, with a question of its task as the text. */
export async function openInRoformer(run: Run, name: string): Promise<void> {
  const [{ files, sample }, session] = await Promise.all([filesOf(run), import("../../model/session.js")]);
  session.startSession();
  const given = Object.entries(files).map(([file, content]) => new File([content], file));
  const opened = session.reader.choose({ name, files: given }, ["roformer", "search"]);
  question.text.value = sample;
  question.rotation.value = "on";
  visit("roformer");
  await opened;
}
