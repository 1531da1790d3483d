import { signal } from "@preact/signals";
import type { ModelCalls } from "../../model/model-calls.js";
import { shippedFolder } from "../../model/shipped.js";
import { connect } from "../../worker/rpc.js";
import recorded from "./recorded.json" with { type: "json" };

/** Probabilities of captain and sailor for the gap. */
export type Answer = readonly number[];
export type Answers = Readonly<Record<"on" | "off", Readonly<Record<"no" | "yes", Answer>>>>;
export const NAMES = ["captain", "sailor"] as const;

/** Answers of the shipped model: recorded ones until the model in this page has answered. story.spec.ts compares them. */
export const answers = signal<Answers>(recorded.answers);
/** Milliseconds that the four answers took in this page. */
export const live = signal<number | undefined>(undefined);

/** Both sentences with and without rotation, in a worker that ends when they are answered. */
export async function askModel(): Promise<void> {
  const worker = new Worker(new URL("../../model/model.worker.ts", import.meta.url), {
    type: "module",
    name: "ropewalk story",
  });
  try {
    const { call } = connect<ModelCalls>(worker);
    let milliseconds = 0;
    const ask = async (giver: string, receiver: string): Promise<Answer> => {
      const text = `the ${giver} gave the rope to the ${receiver} . now the [MASK] has the rope .`;
      // The whole vocabulary: without rotation the names are far from its first words.
      const { fills, milliseconds: took } = await call("run", { text, topK: 1000 });
      if (took) milliseconds += took.tokenise + took.forward + took.fill;
      return NAMES.map((name) => fills[0]?.find(({ token }) => token === name)?.probability ?? 0);
    };
    const both = async (rotation: boolean) => {
      await call("open", { shipped: shippedFolder, rotation });
      return { no: await ask("captain", "sailor"), yes: await ask("sailor", "captain") };
    };
    answers.value = { on: await both(true), off: await both(false) };
    live.value = milliseconds;
  } finally {
    worker.terminate();
  }
}
