import { drawCut } from "./draw/cut.js";
import { drawLong } from "./draw/long.js";
import type { Paper } from "./draw/paper.js";
import { drawSentence } from "./draw/sentence.js";
import { drawTwoStrands, drawTwoWords } from "./draw/strands.js";
import { drawSum } from "./draw/sum.js";
import recorded from "./recorded.json" with { type: "json" };
import { CUT_STRAND, llamaThetas, SLOW, strandThetas } from "./ropes.js";
import { CUT, type Repair } from "./state.js";

/** The title of each scene's drawing, for those who do not see it. */
export const drawings = [
  "A sentence whose words hang on a twisted strand, each with an arrow at another angle",
  "Without rotation the strand is straight, the arrows are alike and the words lie in a heap",
  "One word on a fast and on a slow strand, and its two arrows along the axis",
  "A query and a key on one strand, and the wedge between their arrows",
  "The cosine of each strand by distance, and their mean, the score",
  "16 strands of Llama 3.1 on a rope of 65 536 positions, trained up to position 8192",
  "The words on a strand from which a piece is cut, and what the model writes next",
] as const;

/** The text of scene 7, of which 16 tokens are cut out. */
export const PROMPT =
  "the dog chased the cat at the harbour . then anna took the cat home . <|endoftext|> the captain gave the rope to the sailor . now the";
/** Its tokens: a text begins with a sign that is no word. */
export const words = `· ${PROMPT.replace("<|endoftext|>", "·")}`.split(" ");

/** Positions of query and key in scene 4 before they move. */
export const [QUERY, KEY] = [20, 8];
/** Positions of the two names in the sentence of scene 1. */
export const names = [recorded.tokens.indexOf("captain") + 1, recorded.tokens.indexOf("sailor") + 1] as const;

/** The state of the drawing, on its way to what the controls say: all are numbers, so that it can go there bit by bit. */
export interface Shown {
  readonly swap: number;
  readonly heap: number;
  readonly at: number;
  readonly shift: number;
  readonly strands: number;
  /** How far each repair is applied. */
  readonly all: number;
  readonly slow: number;
  readonly yarn: number;
  /** How much of the answer of scene 6 is in sight. */
  readonly red: number;
  readonly cut: number;
  readonly back: number;
}

export type Repaired = Readonly<Partial<Record<Repair, ArrayLike<number>>>>;

function repairedThetas(shown: Shown, repaired: Repaired): number[] {
  const { none } = repaired;
  if (!none) return llamaThetas;
  return llamaThetas.map((theta, j) => {
    const slower = (["all", "slow", "yarn"] as const).map(
      (name) => shown[name] * Math.log(repaired[name]![j]! / none[j]!),
    );
    return theta * Math.exp(slower.reduce((sum, value) => sum + value, 0));
  });
}

export function drawScene(paper: Paper, scene: number, shown: Shown, repaired: Repaired = {}): string {
  const { tokens } = recorded;
  if (scene <= 2) {
    const heap = scene === 2 ? shown.heap : 0;
    return drawSentence(paper, { words: tokens, names, theta: strandThetas[0]!, swap: shown.swap, heap });
  }
  if (scene === 3) return drawTwoStrands(paper, [strandThetas[0]!, strandThetas[SLOW]!], shown.at);
  if (scene === 4) return drawTwoWords(paper, strandThetas[SLOW]!, QUERY + shown.shift, KEY + shown.shift);
  if (scene === 5) return drawSum(paper, strandThetas, shown.strands);
  if (scene === 6) return drawLong(paper, llamaThetas, repairedThetas(shown, repaired), shown.red);
  const { cut, back } = shown;
  const { text } = recorded.lanes[cut < 0.5 ? "whole" : back < 0.5 ? "unturned" : "turned"];
  return drawCut(paper, {
    theta: strandThetas[CUT_STRAND]!,
    words,
    writes: `It writes: ${text}`,
    piece: CUT,
    cut,
    back,
  });
}
