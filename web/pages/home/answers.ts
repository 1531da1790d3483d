import { signal } from "@preact/signals";
import type { ModelCalls } from "../../model/model-calls.js";
import { shipped } from "../../model/shipped.js";
import { connect } from "../../worker/rpc.js";
import recorded from "./recorded.json" with { type: "json" };

/** The likeliest words for the mask, with their probabilities. */
export type Answer = ReadonlyArray<readonly [word: string, probability: number]>;
export type Answers = Readonly<Record<"on" | "off", Readonly<Record<"no" | "yes", Answer>>>>;

export const namesOf = (swap: "no" | "yes"): readonly [giver: string, receiver: string] =>
  swap === "no" ? ["captain", "sailor"] : ["sailor", "captain"];
const sentenceOf = (swap: "no" | "yes") => {
  const [giver, receiver] = namesOf(swap);
  return `the ${giver} gave the rope to the ${receiver} . now the [MASK] has the rope .`;
};

/** Answers of the shipped model: recorded ones until the model in this page has answered. home.spec.ts compares them. */
export const answers = signal<Answers>(recorded as unknown as Answers);
/** Milliseconds that the four answers took in this page. */
export const live = signal<number | undefined>(undefined);

/** Both sentences with and without rotation, in a worker that ends when they are answered. */
export async function askModel(): Promise<void> {
  const worker = new Worker(new URL("../../model/model.worker.ts", import.meta.url), {
    type: "module",
    name: "ropewalk home",
  });
  try {
    const { call } = connect<ModelCalls>(worker);
    let milliseconds = 0;
    const ask = async (swap: "no" | "yes"): Promise<Answer> => {
      const { fills, milliseconds: took } = await call("run", { text: sentenceOf(swap), topK: 3 });
      if (took) milliseconds += took.tokenise + took.forward + took.fill;
      return (fills[0] ?? []).map(({ token, probability }) => [token, probability] as const);
    };
    const both = async (rotation: boolean) => {
      await call("open", { ...shipped, rotation });
      return { no: await ask("no"), yes: await ask("yes") };
    };
    answers.value = { on: await both(true), off: await both(false) };
    live.value = milliseconds;
  } finally {
    worker.terminate();
  }
}
