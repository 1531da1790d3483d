/** Output that follows a schema or an expression: what the golden decoder writes at random is parsed and validated by Ajv. */
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import { type Decoder, type FileSource, type GenerateOptions, load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { readSchema } from "../../bindings/ts/model/grammar/schema.js";
import { decoderFiles } from "./decoder-folder.js";
import { everyWay } from "./every-way.js";
import { goldenBytes } from "./golden.js";

const ropewalk = await load();
const bytes = (file: string) => goldenBytes(`chat/${file}`);
const END = 409;
const folder: Record<string, FileSource> = {
  "config.json": bytes("model/config.json"),
  "model.safetensors": bytes("model/model.safetensors"),
  "tokenizer.json": bytes("chatml/tokenizer.json"),
  "tokenizer_config.json": bytes("chatml/tokenizer_config.json"),
  "generation_config.json": { eos_token_id: END },
};
const open = (more: Record<string, FileSource> = {}): Promise<Decoder> => ropewalk.decoder({ ...folder, ...more });

/** SentencePiece's way to write the same bytes: <0x00> to <0xFF>, and words with "▁" for a space. */
function sentencePiece(): object {
  const words = ['{"', '":', '▁"', "▁{", "true", "▁null", "a", "b", "▁", "▁Oslo", "0", "1", "]", "}", ",", '"'];
  const pieces = [
    ...["<unk>", "<s>", "</s>"],
    ...Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`),
    ...words,
  ];
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: "1.0",
    added_tokens: ["<unk>", "<s>", "</s>"].map((content, id) => ({ id, content, ...plain })),
    normalizer: { type: "Replace", pattern: { String: " " }, content: "▁" },
    pre_tokenizer: null,
    post_processor: null,
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    model: {
      type: "BPE",
      byte_fallback: true,
      unk_token: "<unk>",
      fuse_unk: true,
      merges: [],
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  };
}

const PERSON = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Person",
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 12, description: "as the passport has it" },
    age: { type: "integer", minimum: 0, maximum: 130 },
    role: { enum: ["sailor", 'the "captain"', null, 3] },
    ships: { type: "array", items: { $ref: "#/$defs/ship" }, minItems: 1, maxItems: 2 },
  },
  required: ["name", "role", "ships"],
  additionalProperties: false,
  $defs: {
    ship: {
      type: "object",
      properties: { code: { type: "string", pattern: "^[A-Z]{2}-\\d{1,3}$" }, at: { type: ["boolean", "null"] } },
      required: ["code"],
    },
  },
};

const SCHEMAS: Record<string, object | boolean> = {
  person: PERSON,
  tree: {
    $ref: "#/$defs/tree",
    $defs: {
      tree: {
        type: "object",
        properties: { leaf: { type: "boolean" }, next: { anyOf: [{ type: "null" }, { $ref: "#/$defs/tree" }] } },
        required: ["leaf", "next"],
      },
    },
  },
  constant: { const: { a: [1, "é\n", null] } },
  choices: { type: "string", enum: ["yes", "no", 3] },
  tuple: { type: "array", prefixItems: [{ type: "boolean" }, { type: "integer" }], items: false },
  "a list of nothing else": { type: "array", items: { type: "null" }, minItems: 2, maxItems: 3 },
  map: { type: "object", additionalProperties: { type: "integer", minimum: 1 } },
  "numbers of a range": { type: "array", items: { type: "integer", exclusiveMinimum: -13, maximum: 7.5 }, minItems: 3 },
  "a short text or a number": { anyOf: [{ type: "string", maxLength: 3 }, { type: "number" }] },
  "an empty text": { type: "string", maxLength: 0 },
  anything: true,
};

/** Texts that ended, with different seeds. */
async function texts(model: Decoder, options: GenerateOptions, count = 12): Promise<string[]> {
  const found: string[] = [];
  for (let seed = 0; seed < count; seed++) {
    const generation = model.generate("<|im_start|>", { temperature: 1.5, seed, maxTokens: 500, ...options });
    const text = await generation.text();
    if (generation.finishReason === "eos") found.push(text);
  }
  return found;
}

describe.each([
  ["bytes as letters", folder["tokenizer.json"]!, END],
  ["SentencePiece", sentencePiece(), 2],
])("schema, with a vocabulary of %s", async (_, tokenizer, end) => {
  const model = await open({ "tokenizer.json": tokenizer, "generation_config.json": { eos_token_id: end } });

  it.each(Object.keys(SCHEMAS))("%s: every text that ends is valid", async (name) => {
    const schema = SCHEMAS[name]!;
    const validate = new Ajv({ strict: false }).compile(schema as object);
    const found = await texts(model, { schema });
    expect(found.length).toBeGreaterThan(2);
    for (const text of found) {
      expect(validate(JSON.parse(text)), `${text}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  it.each([
    /[A-Z]{2}-\d{1,3}/,
    /(?:rope|ship){1,3}!/,
    "\\w+@[a-z]+\\.(?:org|com)",
    /^[^a-z]{3,9}$/s,
    /^[^a-zA-Z]{2}é$/,
  ])("every text that ends matches %s", async (regex) => {
    const found = await texts(model, { regex });
    expect(found.length).toBeGreaterThan(2);
    const whole = new RegExp(`^(?:${regex instanceof RegExp ? regex.source : regex})$`, "su");
    for (const text of found) expect(text).toMatch(whole);
  });
});

describe("schema", async () => {
  const model = await open();

  it("takes the likeliest token that is allowed, and gives the probability under the model", async () => {
    const prompt = model.encode("What is a rope made of?");
    using cache = model.cache();
    const logits = cache.feed(prompt);
    const highest = Math.max(...logits);
    const total = logits.reduce((sum, each) => sum + Math.exp(each - highest), 0);
    // The first token of a boolean: "t", "f", or a piece of these words.
    const words = ["true", "false"];
    const allowed = [...logits.keys()].filter((id) => {
      const piece = id < 407 ? model.decode([id]) : "";
      return piece !== "" && words.some((word) => word.startsWith(piece));
    });
    const best = allowed.reduce((a, b) => (logits[b]! > logits[a]! ? b : a));
    const { value } = await model.generate(prompt, { schema: { type: "boolean" } }).next();
    expect(value!.id).toBe(best);
    expect(value!.logProbability).toBeCloseTo(logits[best]! - highest - Math.log(total), 5);
  });

  it("gives the same text in every way", async () => {
    const settings = { schema: PERSON, temperature: 1, seed: 3, maxTokens: 60 };
    const text = await everyWay(
      (options) => ropewalk.decoder(folder, options),
      (int8, options) => int8.generate("Anna as JSON: ", { ...settings, ...options }).text(),
    );
    expect(text.startsWith("{")).toBe(true);
  });

  it("gives the same text with the same seed, and leaves a cache that goes on freely", async () => {
    using cache = model.cache();
    const options = { schema: { type: "integer", minimum: 0, maximum: 99 }, temperature: 1, seed: 3 };
    const first = await model.generate("the number", { ...options, cache }).text();
    expect(await model.generate("the number", options).text()).toBe(first);
    expect(model.decode(cache.tokens())).toBe(`the number${first}`);
    const free = await model.generate(" and", { cache, maxTokens: 8 }).text();
    expect(free).toBe(
      await model
        .generate([...model.encode("the number"), ...model.encode(first), ...model.encode(" and")], { maxTokens: 8 })
        .text(),
    );
  });

  it("answers in a conversation", async () => {
    const chatting = await open({ "generation_config.json": {} });
    const generation = chatting.chat([{ role: "user", content: "Hi!" }], { schema: { enum: ["yes", "no"] } });
    expect(['"yes"', '"no"']).toContain(await generation.text());
    expect(generation.finishReason).toBe("eos");
    chatting.dispose();
  });

  it("says where it was cut off", async () => {
    const generation = model.generate("a", { schema: PERSON, maxTokens: 4 });
    expect(await generation.text()).toMatch(/^\{"name": ?"?/);
    expect(generation.finishReason).toBe("length");
  });

  it.each<[object, string]>([
    [{ schema: { type: "string", format: "date" } }, 'generate: `schema.format` is "date"; allowed: `pattern` instead'],
    [
      { schema: { properties: { a: { oneOf: [] } } } },
      "generate: `schema.properties.a.oneOf` is an array; allowed: `anyOf` instead",
    ],
    [
      { schema: { type: "number", minimum: 0 } },
      "generate: `schema.minimum` is 0; allowed: no other keyword beside `type`",
    ],
    [{ schema: { type: "text" } }, 'generate: `schema.type` is "text"; allowed: "string", "integer"'],
    [{ schema: "string" }, 'generate: `schema` is "string"; allowed: a JSON schema, an object'],
    [
      { schema: { required: ["a"], properties: {} } },
      'generate: `schema.required` is "a"; allowed: names of `properties`',
    ],
    [{ schema: {}, regex: "a" }, 'generate: `regex` is "a"; allowed: `schema` or `regex`, not both'],
    [{ regex: 3 }, "generate: `regex` is 3; allowed: a regular expression, as a RegExp or as its source"],
    [{ regex: /a/i }, 'generate: `regex` is "/a/i"; allowed: expressions without the flags i and m'],
    [
      { regex: "(?=a)b" },
      "generate: `regex` cannot be read: Regex parsing error at position 3: Lookahead is not supported yet.",
    ],
    [
      { regex: "a|^b$" },
      "generate: `regex` is not supported: Regex parsing warning at position 3: '^' should be at the start",
    ],
  ])("refuses %j", async (options, message) => {
    await expect(model.generate("a", options as GenerateOptions).text()).rejects.toThrow(message);
    // XGrammar ends its module when it refuses; the next request has another.
    expect(await model.generate("a", { regex: "b" }).text()).toBe("b");
  });

  it("needs a tokenizer whose text is that of its pieces, and a token that ends a text", async () => {
    using words = await ropewalk.decoder(decoderFiles());
    await expect(words.generate("w1", { regex: "a" }).text()).rejects.toThrow(
      "generate: `regex` needs a tokenizer of bytes or of SentencePiece; this model has another",
    );
    using endless = await open({ "generation_config.json": {} });
    await expect(endless.generate("a", { schema: true }).text()).rejects.toThrow(
      "generate: `schema` needs a model that names a token which ends a text",
    );
  });
});

describe("readSchema", () => {
  it.each([
    [{ type: "integer", minimum: 2, exclusiveMaximum: 5 }, { enum: [2, 3, 4] }],
    [
      { type: "integer", minimum: 0.5 },
      { type: "integer", minimum: 1 },
    ],
    [
      { type: ["string", "null"], maxLength: 2 },
      { anyOf: [{ type: "string", pattern: '^[^\\x00-\\x1f"\\\\\\x7f]{0,2}$' }, { type: "null" }] },
    ],
    [{ properties: { a: true } }, { type: "object", properties: { a: {} }, required: [], additionalProperties: false }],
  ])("%j", (schema, read) => {
    expect(JSON.parse(readSchema("generate", schema))).toEqual(read);
  });

  it.each([
    [{ type: "integer", maximum: 5 }, "`schema.maximum` is 5"],
    [
      { type: "integer", minimum: 7 },
      "`schema.minimum` is 7; allowed: ranges of up to 1024 integers, or a minimum of 0 or 1 alone",
    ],
    [{ type: "integer", minimum: 5, maximum: 3 }, "`schema.maximum` is 3; allowed: at least the minimum, 5"],
    [{ type: "string", pattern: ".*" }, '`schema.pattern` is ".*"'],
    [{ type: "string", pattern: "[^a]" }, '`schema.pattern` is "[^a]"'],
    [{ type: "string", pattern: "a", maxLength: 3 }, "allowed: `pattern` or lengths, not both"],
    [{ type: "array", uniqueItems: true }, "`schema.uniqueItems` is true"],
    [{ $ref: "#/$defs/none" }, '`schema.$ref` is "#/$defs/none"'],
    [{ type: "object", properties: { 'a"': true } }, "allowed: names that JSON writes as they are"],
    [
      { type: "object", properties: { a: true }, additionalProperties: { type: "null" } },
      "`properties` or these, not both",
    ],
    [{ type: "integer", enum: ["a"] }, 'allowed: a value of type "integer"'],
  ])("refuses %j", (schema, message) => {
    expect(() => readSchema("generate", schema)).toThrow(message);
  });
});
