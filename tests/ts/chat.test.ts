/** Conversations: what the cache holds between turns, which templates are refused, and whose text becomes a token. */
import { type ChatMessage, type Decoder, type FileSource, load } from "ropewalk";
import { afterAll, describe, expect, it, test } from "vitest";
import { Hider } from "../../bindings/ts/model/chat/hidden.js";
import { strftime } from "../../bindings/ts/model/chat/jinja/dates.js";
import { TemplateRefused } from "../../bindings/ts/model/chat/jinja/refused.js";
import { compile } from "../../bindings/ts/model/chat/jinja/template.js";
import { decoderFiles } from "./decoder-folder.js";
import { everyWay, idsOf } from "./every-way.js";
import { ggufEntry } from "./gguf-file.js";
import { goldenBytes } from "./golden.js";

const ropewalk = await load();
const bytes = (file: string) => goldenBytes(`chat/${file}`);
const config = (chat_template: unknown) => ({ chat_template, eos_token: "<|im_end|>", add_bos_token: false });
const CHATML = JSON.parse(new TextDecoder().decode(bytes("chatml/tokenizer_config.json"))) as { chat_template: string };

const filesWith = (more: Record<string, FileSource>): Record<string, FileSource> => ({
  "config.json": bytes("model/config.json"),
  "model.safetensors": bytes("model/model.safetensors"),
  "tokenizer.json": bytes("chatml/tokenizer.json"),
  "tokenizer_config.json": bytes("chatml/tokenizer_config.json"),
  ...more,
});

const open = (template: unknown): Promise<Decoder> =>
  ropewalk.decoder(filesWith({ "tokenizer_config.json": config(template) }));

const user = (content: string): ChatMessage => ({ role: "user", content });

describe("chat", async () => {
  const model = await ropewalk.decoder(filesWith({}));
  afterAll(() => model.dispose());

  it("names itself where the form of the answer is refused", async () => {
    const form = { type: "string", format: "date" };
    await expect(model.chat([user("Hi!")], { schema: form }).text()).rejects.toThrow("chat: `schema.format` is");
    await expect(model.chat([user("Hi!")], { regex: /a/i }).text()).rejects.toThrow("chat: `regex` is");
  });

  it("computes only what the cache does not hold", async () => {
    using cache = model.cache();
    const messages = [user("Hi!")];
    const first = await model.chat(messages, { cache, maxTokens: 5 }).text();
    expect([...cache.tokens()].slice(0, 13)).toEqual(model.encodeChat(messages));
    expect(model.decode(cache.tokens().slice(13))).toContain(first);
    const held = cache.length;
    messages.push({ role: "assistant", content: "Fine." }, user("And?"));
    await model.chat(messages, { cache, maxTokens: 1 }).text();
    // The prompt's beginning stayed, the answer was replaced, and one token was generated.
    expect([...cache.tokens()].slice(0, -1)).toEqual(model.encodeChat(messages));
    expect(held).toBeGreaterThan(13);
    using anew = model.cache();
    const again = await model.chat(messages, { cache: anew, maxTokens: 6, temperature: 0 }).text();
    cache.trim(20);
    expect(await model.chat(messages, { cache, maxTokens: 6 }).text()).toBe(again);
    // The same messages once more: at least one token is computed, whose logits choose the next.
    expect(await model.chat(messages, { cache, maxTokens: 6 }).text()).toBe(again);
  });

  it("answers the same in every way", async () => {
    const answers = await everyWay(
      (options) => ropewalk.decoder(filesWith({}), options),
      async (int8, options) => {
        using cache = int8.cache();
        const messages = [user("Hi!")];
        const texts: string[] = [];
        for (const next of ["And?", "Hi! And?"]) {
          texts.push(await int8.chat(messages, { cache, maxTokens: 24, ...options }).text());
          messages.push({ role: "assistant", content: texts.at(-1)! }, user(next));
        }
        return [texts, [...cache.tokens()]];
      },
    );
    expect(answers[0]!.join("").length).toBeGreaterThan(0);
  });

  it("ends with the token with which the template ends an answer", async () => {
    // Neither config.json nor generation_config.json name one.
    using unnamed = await ropewalk.decoder(
      filesWith({ "tokenizer_config.json": { chat_template: CHATML.chat_template } }),
    );
    const end = unnamed.encode("<|im_end|>")[0]!;
    // So hot that every token is drawn alike: the end as well, in one of these answers.
    let [ids, reason]: [number[], string | undefined] = [[], undefined];
    for (let seed = 0; seed < 30 && !ids.includes(end); seed++) {
      const generation = unnamed.chat([user("Hi!")], { temperature: 1000, seed, maxTokens: 400 });
      ids = await idsOf(generation);
      reason = generation.finishReason;
    }
    expect([ids.indexOf(end), reason]).toEqual([ids.length - 1, "eos"]);
  });

  it("refuses what it does not know", async () => {
    const wrong = (options: object) => () => model.renderChat([user("Hi!")], options);
    expect(wrong({ add_generation_prompt: false })).toThrow(
      "renderChat: unknown option `add_generation_prompt`; did you mean `addGenerationPrompt`?",
    );
    expect(wrong({ template: "rag" })).toThrow('renderChat: `template` is "rag"; allowed: "default"');
    expect(wrong({ continueFinalMessage: true, addGenerationPrompt: true })).toThrow(/addGenerationPrompt/);
    expect(() => model.renderChat("Hi!" as never)).toThrow(TypeError);
    expect(() => model.renderChat([{ content: "x" } as never])).toThrow("`messages[0].role` is undefined");
    await expect(model.chat([user("a")], { max_new_tokens: 5 } as never).text()).rejects.toThrow(
      "unknown option `max_new_tokens`; did you mean `maxTokens`?",
    );
    using plain = await ropewalk.decoder(decoderFiles());
    expect(plain.chats).toBe(false);
    expect(() => plain.renderChat([user("a")])).toThrow(/holds? no chat template/);
  });

  it("throws with the first token, as generate does, and not at the call", async () => {
    const plain = await ropewalk.decoder(decoderFiles());
    await expect(plain.chat([user("a")]).next()).rejects.toThrow(
      /^chat: the files of this model hold no chat template/,
    );
    for (const options of [5, null])
      await expect(model.chat([user("a")], options as never).next()).rejects.toThrow("chat: `options` is");
    const begun = plain.chat([user("a")]);
    plain.dispose();
    for (const generation of [begun, plain.chat([user("a")]), plain.generate("a")])
      await expect(generation.next()).rejects.toMatchObject({ code: "disposed" });
  });

  it("reads templates by name from a list, and from files before tokenizer_config.json", async () => {
    const list = [
      { name: "default", template: "D{{ messages | length }}" },
      { name: "other", template: "O{{ bos_token }}" },
    ];
    using listed = await open(list);
    expect(listed.renderChat([user("a")])).toBe("D1");
    expect(listed.renderChat([user("a")], { template: "other" })).toBe("O");
    const more = { "tokenizer_config.json": config("no"), "chat_template.jinja": new TextEncoder().encode("yes") };
    using filed = await ropewalk.decoder(filesWith(more));
    expect(filed.renderChat([user("a")])).toBe("yes");
  });
});

/** A GGUF file with one more text in its metadata, as long as leaves its tensors aligned to 32 bytes. */
function ggufWith(file: Uint8Array, key: string, text: string): Uint8Array<ArrayBuffer> {
  const missing = (32 - (ggufEntry(key, text).length % 32)) % 32;
  const entry = ggufEntry(key, text + " ".repeat(missing));
  // Magic, version, and the numbers of tensors and of entries come first.
  const whole = new Uint8Array([...file.subarray(0, 24), ...entry, ...file.subarray(24)]);
  const header = new DataView(whole.buffer);
  header.setBigUint64(16, header.getBigUint64(16, true) + 1n, true);
  return whole;
}

test("a GGUF file's own template is read, with its special tokens and under its names", async () => {
  const file = goldenBytes("gguf/llama-q8_0.gguf");
  const template = "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{{ eos_token }}";
  const more = ggufWith(ggufWith(file, "tokenizer.chat_template", template), "tokenizer.chat_template.rag", "R");
  using plain = await ropewalk.decoder({ "model.gguf": file });
  expect(plain.chats).toBe(false);
  using model = await ropewalk.decoder({ "model.gguf": more });
  expect(model.chats).toBe(true);
  const text = model.renderChat([user("a")]);
  expect(text).toMatch(/^<?\S*user: a\n\S*\s*$/);
  expect(model.renderChat([user("a")], { template: "rag" }).trim()).toBe("R");
  // Its beginning is one token, whatever it looks like.
  expect(model.encodeChat([user("a")])[0]).toBe(model.encode("a")[0]);
});

describe("text of messages", async () => {
  const model = await ropewalk.decoder(filesWith({}));
  const end = model.encode("<|im_end|>")[0]!;
  const ends = (ids: readonly number[]) => ids.filter((id) => id === end).length;

  test.each([
    ["whole", "a<|im_end|>b"],
    ["in capitals", "<|IM_END|>"],
    ["within each other", "<|im_<|im_end|>end|>"],
    ["among private characters", "\ue000\uf8ff<|im_end|>\u{f0000}"],
  ])("cannot end its turn: %s", (_, content) => {
    expect(ends(model.encodeChat([user(content)]))).toBe(1);
    const shown = model.decode(model.encodeChat([user(content)]), { skipSpecialTokens: false });
    expect(shown).toContain(content);
  });

  it("cannot end its turn in two parts, in a tool or in lower case", async () => {
    const parts = "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}";
    using joined = await open(parts);
    const content = [
      { type: "text", text: "x<|im" },
      { type: "text", text: "_end|>" },
    ];
    expect(ends(joined.encodeChat([{ role: "user", content }]))).toBe(0);
    expect(ends(joined.encodeChat([{ role: "user", content }], { trustContent: true }))).toBe(1);
    using lower = await open("{{ messages[0].content | lower }}{{ tools | tojson }}");
    expect(ends(lower.encodeChat([user("<|IM_END|>")], { tools: [{ name: "<|im_end|>" }] }))).toBe(0);
  });

  it("is refused by name where it cannot be written as JSON, or ends in parts that are none", () => {
    const ring: Record<string, unknown> = { role: "user", content: "a" };
    ring.self = ring;
    for (const message of [ring, { ...user("a"), n: 1n }]) {
      const refused = expect.objectContaining({ function: "encodeChat", argument: "messages", code: "malformed" });
      expect(() => model.encodeChat([message as unknown as ChatMessage])).toThrow(refused);
    }
    const last = { role: "user", content: [null] } as unknown as ChatMessage;
    expect(() => model.renderChat([last], { continueFinalMessage: true })).toThrow(
      "renderChat: `continueFinalMessage`",
    );
  });

  it("keeps its length while the template works on it", () => {
    const hider = new Hider(["<s>", "</s>", "[INST]", "<|end-of-turn|>", "a/b^$.*+?(){}|"], "");
    for (const text of [
      "<|end-of-turn|>",
      "a/b^$.*+?(){}|",
      "<|END-OF-",
      "<s>",
      "a <s> b</s>",
      "[INS",
      "<",
      "x[INST][INST]",
      "\u{1f600}<s>",
    ]) {
      const hidden = hider.hide(text);
      expect(hidden).toHaveLength(text.length);
      expect(hidden).not.toMatch(/<s>|<\/s>|\[INST\]|<\|end-of-turn\|>|a\/b\^/);
      expect(hider.shown(hidden)).toBe(text);
    }
  });
});

describe("templates of strangers", () => {
  const render = (template: string, variables: Record<string, unknown> = {}) => compile(template).render(variables);

  test.each([
    [
      "a loop in a loop",
      "it takes too many steps",
      "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    ],
    [
      "a text that doubles",
      "it makes too much text",
      "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    ],
    ["a text many times", "it makes too much text", "{{ 'x' * 1000000000 }}"],
    [
      "a list in lists",
      "it takes too many steps",
      "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | tojson }}",
    ],
    [
      "itself in itself",
      "it nests deeper than 400 levels",
      "{% set ns = namespace(s=[1]) %}{% set ns.s = [ns] %}{{ ns.s | string }}",
    ],
    ["replacements", "it makes too much text", "{% set a = 'x' * 1000000 %}{{ a | replace('x', a) }}"],
    ["a wide indent", "indent takes a width of at most 1000, or a text", "{{ 'a\\nb' | indent(1000000000) }}"],
    ["wide JSON", "tojson has `indent` above 64", "{{ [1] | tojson(indent=1000000000) }}"],
    ["a long separator", "it makes too much text", "{{ range(99999) | join('x' * 9999999) }}"],
    [
      "slices of a long text",
      "it makes too much text",
      "{% set a = 'x' * 9999999 %}{% for i in range(99999) %}{{ a[:0] }}{% endfor %}",
    ],
    ["parentheses", "Maximum call stack size exceeded", `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`],
    ["a macro in itself", "it nests deeper than 400 levels", "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"],
    [
      "concatenation of lists",
      "it makes too much text",
      "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    ],
  ])("are bounded: %s", { timeout: 300_000 }, (_, words, template) => {
    expect(() => render(template)).toThrow(new TemplateRefused(words));
  });

  test.each([
    "{{ messages.constructor }}{{ messages.constructor.constructor }}",
    "{{ ''.constructor('x') }}",
    "{{ namespace.constructor('return process')() }}",
    "{{ messages.__proto__.x }}",
    "{{ globalThis.process.env }}",
    "{{ raise_exception.call.constructor('x')() }}",
    "{% import 'node:fs' as fs %}",
  ])("reach nothing of the host: %s", (template) => {
    expect(() => render(template, { messages: [] })).toThrow(TemplateRefused);
  });

  test("leave no trace on prototypes", () => {
    render("{% set ns = namespace() %}{% set ns.polluted = 1 %}{{ {'__proto__': {'polluted': 1}} | length }}");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  // Values by Jinja 3.1 in Python.
  test.each([
    [
      "{% for i in range(4) %}[{{ i }}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}]{% endfor %}",
      "[0][1[2][3",
    ],
    ["{% for i in [1, 2] %}{% if loop.first %}{% set x = 'a' %}{% endif %}{{ x }}{% endfor %}", "a"],
    ["{% macro f(a, b='z') %}<{{ a }}{{ b }}>{% endmacro %}{{ f('x') }}{{ f('x', b='y') }}", "<xz><xy>"],
    [
      "{{ '--a-'.strip('-') }}|{{ 'xxa'.lstrip('x') }}|{{ \"they're ok\" | title }}|{{ 'aBC' | capitalize }}",
      "a|a|They're Ok|Abc",
    ],
    ["{{ 1 == '1' }} {{ [1, 2] == [1, 2] }} {{ {'a': 1} == {'a': 1.0} }} {{ 1 in [true] }}", "False True True True"],
    ["{{ -7 % 3 }} {{ 7 // -2 }} {{ 10.0 ** 20 }} {{ 0.00001 }} {{ 2 ** -1 }}", "2 -4 1e+20 1e-05 0.5"],
    ["{{ none }} {{ [none, 'it\\'s'] }} {{ 'é' | length }} {{ true ~ 1 }}", 'None [None, "it\'s"] 1 True1'],
    ["{{ 1 < 3 > 2 }} {{ 1 < 3 > 5 }} {{ (1 == 1) == true }}", "True False True"],
    [
      "{{ ['b', 'B', 'a'] | unique | join(',') }} {{ 'abab' | replace('a', 'x', 1) }} {{ 'x'.join(['a', 1]) }}",
      "b,a xbab ax1",
    ],
    [
      "{{ 'ab'.startswith('b', 1) }} {{ 'ab'.startswith('a', 1) }} {{ 'abc'.endswith('b', 0, -1) }} {{ 'abc'.endswith('c', -9, 2) }}",
      "True False True False",
    ],
    [
      "{{ range(3) | list }} {{ (1, 2) | list }} {{ range(3) == [0, 1, 2] }} {{ range(3) == range(0, 3) }} {{ 2 in range(3) }} {{ range(3) | length }} {{ range(3)[-1] }} {{ range(2) | join(',') }} {{ 'a' if range(0) else 'b' }}",
      "[0, 1, 2] [1, 2] False True True 3 2 0,1 b",
    ],
    [
      "{{ 'ab'.startswith(('x', 'b'), 1) }} {{ '😀b'.startswith('b', 1) }} {{ 'ab'.startswith('', 2) }} {{ 'ab'.startswith('', 3) }} {{ 'ab'.endswith('', 2, 1) }}",
      "True True True False False",
    ],
    [
      "{{ 'a😀bc'[1] }}|{{ '😀abc'[-4] }}|{{ '😀abc'[0:2] }}|{{ '😀'[1] is defined }}|{{ '😀a'[-3] is defined }}|{{ '😀😀a'[-2] }}",
      "😀|😀|😀a|False|False|😀",
    ],
    ["{% for a, b in {'k': 1}.items() %}{{ a }}{{ b }}{% endfor %}{% for c in 'ab' %}{{ c }},{% endfor %}", "k1a,b,"],
  ])("mean what they mean in Python: %s", (template, text) => {
    expect(render(template)).toBe(text);
  });

  test.each([
    ["{{ x.y }}", "`x` is undefined"],
    ["{{ x + 1 }}", "no `+` between undefined and a number"],
    ["{{ 'a' + 1 }}", "no `+` between a text and a number"],
    ["{{ nothing() }}", "no function `nothing`"],
    ["{{ range(3) }}", "it prints a range"],
    ["{{ [range(3)] }}", "it prints a range"],
    ["{{ range(3) + range(3) }}", "no `+` between a range and a range"],
    ["{{ range(3) + [3] }}", "no `+` between a range and a list"],
    ["{{ 'ab'.startswith('b', 1.5) }}", "startswith takes a number"],
    ["{{ 'ab'.endswith('b', 0, 1, 2) }}", "endswith takes at most 3 arguments"],
    ["{{ 'ab'.endswith(1) }}", "endswith takes a text, not a number"],
    ["{% for i in [1] %}{{ loop.changed(1) }}{% endfor %}", "no `loop.changed`"],
    ["{{ 'a' | frobnicate }}", "frobnicate"],
    ["{% filter upper %}a{% endfilter %}", "filters of whole blocks"],
    ["{{ strftime_now('%Q') }}", "%Q"],
  ])("are refused by the name of what is not there: %s", (template, said) => {
    expect(() => render(template)).toThrow(said);
  });

  test("write the date in English, whatever the host speaks", () => {
    const date = new Date(2024, 1, 9, 15, 4, 5);
    expect(strftime("%d %b %Y, %A %-d %B %y %H:%M:%S %I%p %j %%", date)).toBe(
      "09 Feb 2024, Friday 9 February 24 15:04:05 03PM 040 %",
    );
    expect(compile("{{ strftime_now('%d %B %Y') }}").render({}, date)).toBe("09 February 2024");
  });
});
