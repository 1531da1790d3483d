import { readFileSync } from "node:fs";
import type { Decoder, KeyCache, Ropewalk } from "ropewalk";
import { PROMPT } from "./scenes.js";
import { CUT } from "./state.js";

const NAMES = ["captain", "sailor"] as const;
const short = (value: number) => Number(value.toPrecision(4));

/** Probabilities of the two names, with and without rotation, before and after their swap. */
async function answersOf(ropewalk: Ropewalk, rotation: boolean) {
  const file = (name: string) => readFileSync(`web/public/model/${name}`);
  const config = JSON.parse(file("config.json").toString()) as object;
  using model = await ropewalk.encoder(
    new Map<string, object>([
      ["config.json", rotation ? config : { ...config, position_encoding: "none" }],
      ["model.safetensors", new Blob([new Uint8Array(file("model.safetensors"))])],
      ["tokenizer.json", JSON.parse(file("tokenizer.json").toString()) as object],
    ]),
  );
  const answer = async (giver: string, receiver: string) => {
    const text = `the ${giver} gave the rope to the ${receiver} . now the [MASK] has the rope .`;
    const [fills] = await model.fillMask(text, { topK: 1000 });
    return NAMES.map((name) => short(fills!.find(({ tokenStr }) => tokenStr === name)!.score));
  };
  const { tokens } = model.encode("the captain gave the rope to the sailor");
  return {
    tokens: tokens.slice(1, -1),
    answers: { no: await answer("captain", "sailor"), yes: await answer("sailor", "captain") },
  };
}

/** The model's continuation behind a cache, and the probability of the sailor. */
async function lane(model: Decoder, make: (cache: KeyCache, ids: readonly number[]) => Float32Array) {
  const ids = [...model.encode(PROMPT)];
  using cache = model.cache();
  const logits = make(cache, ids);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
  const [sailor] = model.encode("sailor", { addSpecialTokens: false });
  const text = await model.generate([], { cache, maxTokens: 14, temperature: 0 }).text();
  return { text: text.trim(), sailor: short(Math.exp(logits[sailor!]!) / sum) };
}

/** Everything that the drawing and the first answers need (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk) {
  const [on, off] = [await answersOf(ropewalk, true), await answersOf(ropewalk, false)];
  using model = await ropewalk.decoder("web/public/decoder", { precision: "int8", context: 512 });
  const [from, to] = CUT;
  const cut = (rotate: boolean) => (cache: KeyCache, ids: readonly number[]) => {
    // The last token is fed anew, so that its prediction is that of the cache as it is then.
    cache.feed(ids.slice(0, -1));
    cache.drop(from, to, { rotate });
    return cache.feed(ids.slice(-1));
  };
  return {
    tokens: on.tokens,
    answers: { on: on.answers, off: off.answers },
    lanes: {
      whole: await lane(model, (cache, ids) => cache.feed(ids)),
      turned: await lane(model, cut(true)),
      unturned: await lane(model, cut(false)),
      fresh: await lane(model, (cache, ids) => cache.feed([...ids.slice(0, from), ...ids.slice(to)])),
    },
  };
}
