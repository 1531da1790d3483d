import type { Ropewalk, Task, TaskBatchOptions } from "ropewalk";

/** The members of a task that a training run needs. */
export type RunTask = Pick<
  Task,
  "symbols" | "vocabSize" | "chanceAccuracy" | "description" | "batch" | "best" | "dispose"
>;

/** [PAD] [UNK] [CLS] [SEP] [MASK] */
const SPECIAL = 5;
const END = 3;
/** So many words hold more letters than a row has. */
const LEAST_WORDS = 64;

/** Share of the likeliest letter: the accuracy of a guess that sees nothing. */
function mostFrequent(labels: Int32Array): number {
  const counts = new Map<number, number>();
  for (const id of labels) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Math.max(...counts.values()) / labels.length;
}

/**
 * Letters of the generated English, each from those before it, as tools/experiments/characters.cpp has them: texts end
 * with a line break, and every row begins with one. The texts are those of the task english with what it hides put back.
 */
export async function lettersOf(ropewalk: Ropewalk, seed: number): Promise<RunTask> {
  const english = await ropewalk.task({ name: "english", seed });
  const letters = [...new Set(["\n", " ", ...english.symbols.slice(SPECIAL).join("")])].sort();
  const idOf = new Map(letters.map((letter, i) => [letter, i + 1]));
  const batch = ({ sequence, ...which }: TaskBatchOptions) => {
    const words = Math.max(sequence, LEAST_WORDS);
    const { inputIds, labels: hidden, attentionMask } = english.batch({ ...which, sequence: words });
    const [ids, labels] = [new Int32Array(which.batch * sequence), new Int32Array(which.batch * sequence)];
    for (let row = 0; row < which.batch; row++) {
      let text = "";
      for (let i = row * words + 1; i < (row + 1) * words && attentionMask[i]; i++) {
        const id = hidden[i]! < 0 ? inputIds[i]! : hidden[i]!;
        text += id === END ? "\n" : `${text === "" || text.endsWith("\n") ? "" : " "}${english.symbols[id]}`;
      }
      for (let i = 0; i < sequence; i++) {
        ids[row * sequence + i] = idOf.get(i === 0 ? "\n" : text[i - 1]!)!;
        labels[row * sequence + i] = idOf.get(text[i]!)!;
      }
    }
    return { inputIds: ids, labels, attentionMask: new Int32Array(ids.length).fill(1), batch: which.batch, sequence };
  };
  return {
    symbols: ["[PAD]", ...letters],
    vocabSize: letters.length + 1,
    chanceAccuracy: mostFrequent(batch({ split: "validation", index: 1000, batch: 64, sequence: 256 }).labels),
    description: "Which letter follows those before it?",
    batch,
    best: () => ({ loss: Number.NaN, accuracy: Number.NaN }),
    dispose: () => english.dispose(),
  };
}
