/** The tokenizer.json of the shipped model, read by the library that the package uses. */
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { readJson } from "./files.js";

const tokenizer = new Tokenizer(readJson("web/public/model/tokenizer.json"), {});
const config = readJson<{ vocab_size: number; pad_token_id: number }>("web/public/model/config.json");

describe("the shipped tokenizer", () => {
  it("frames a text, knows its mask, and gives the text back", () => {
    const { ids, tokens } = tokenizer.encode("the captain gave the [MASK] to the sailor");
    expect(tokens).toEqual(["[CLS]", "the", "captain", "gave", "the", "[MASK]", "to", "the", "sailor", "[SEP]"]);
    expect([ids[0], ids[5], ids[9]]).toEqual([2, 4, 3]);
    expect(ids.every((id: number) => id < config.vocab_size)).toBe(true);
    expect(tokenizer.decode(ids, { skip_special_tokens: true })).toBe("the captain gave the to the sailor");
  });

  it("lowers case, splits off punctuation and says [UNK] to words it does not know", () => {
    const { tokens } = tokenizer.encode("The Captain saw a zebra.");
    expect(tokens).toEqual(["[CLS]", "the", "captain", "saw", "a", "[UNK]", ".", "[SEP]"]);
  });

  it("frames pairs with types", () => {
    const { tokens, token_type_ids } = tokenizer.encode("a rope.", {
      text_pair: "the sailor",
      return_token_type_ids: true,
    });
    expect(tokens).toEqual(["[CLS]", "a", "rope", ".", "[SEP]", "the", "sailor", "[SEP]"]);
    expect(token_type_ids).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
  });

  it("pads with id 0", () => {
    expect(tokenizer.token_to_id("[PAD]")).toBe(0);
    expect(config.pad_token_id).toBe(0);
  });
});
