// From the generated English into a made-up language: rotation in both self-attentions against sinusoidal positions.
import { middle } from "../summary.mjs";
import { lossFigure } from "./race.mjs";
import {
  accuracyText,
  bandText,
  hundredfold,
  image,
  list,
  lowerIn,
  nats,
  percent,
  scoreText,
  table,
} from "./words.mjs";

/** In how many of the pairs that share a seed the first has the higher BLEU. */
function higherIn(arm, other) {
  const [own, others] = [arm, other].map(({ tests }) => tests["1x"].scores.BLEU);
  return `${own.filter((score, seed) => score > others[seed]).length} of ${own.length}`;
}

function verdict({ steps, arms: { rope, sinusoidal } }) {
  const [own, other] = [rope, sinusoidal].map(({ tests }) => middle(tests["1x"].scores.BLEU));
  return `After ${steps} steps RoPE's median BLEU is ${hundredfold(own)}, and that of sinusoidal positions ${hundredfold(other)}. Of the pairs that share a seed, and so data and initial weights, RoPE had the higher BLEU in ${higherIn(rope, sinusoidal)} and the lower validation loss in ${lowerIn(rope, sinusoidal)}.`;
}

/** Nothing keeps the sentences of a grammar apart: how many of the test's were in training. */
function seenText({ arms }) {
  const seen = Object.values(arms)[0].tests["1x"].seen;
  return seen
    ? ` Both sides are drawn from one grammar: ${percent(seen[0])} of the test sentences also occur in training.`
    : "";
}

export function translationSection(results) {
  const panels = Object.values(results.experiments.translation ?? {});
  if (panels.length === 0) return null;
  const [panel] = panels;
  const drawing = lossFigure(
    "Translation from the generated English into a made-up language",
    panels.map((each) => [each, `translation, ${each.steps} steps`]),
    { unit: "nats a word" },
  );
  const rows = panels.flatMap(({ steps, arms }) =>
    Object.values(arms).map((arm) => [
      `${arm.label}, ${steps} steps`,
      scoreText(arm.tests["1x"].scores.BLEU, hundredfold),
      bandText(arm.tests["1x"].loss, nats),
      accuracyText(arm.tests["1x"].accuracy),
      bandText(arm.loss, nats),
    ]),
  );
  const text = `## Translation

Table 1 of the paper translates English into German (WMT 2014): a Transformer reaches 27.3 BLEU, and the same with rotation in its self-attentions 27.5. Here an encoder-decoder translates first sentences of the generated English, of at most ${panel.length} words, into a made-up language. Its verb comes last, relative clauses come before their noun, and there is no passive; particles mark the parts of a sentence; adjectives agree with their noun, and verbs with their subject, in three classes and two numbers. The translation follows from the sentence (\`tools/experiments/translation/language.hpp\`), so that a perfect model reaches 100 BLEU.

Both models have 2 + 2 post-norm layers of 64 channels and 4 heads, and one table of words for both languages. *RoPE* rotates queries and keys of the self-attentions of encoder and decoder; nothing rotates in cross-attention. *sinusoidal* adds Vaswani et al.'s sines to the words on both sides. Training takes ${list(panels.map(({ steps }) => String(steps)))} steps of ${panel.batch} pairs with label smoothing of 0.1; losses below are without it. A model that was trained so stays above a loss of 0 even where every word is right: a word to which it gives 0.9 costs 0.105. The score is corpus BLEU-4 on ${panel.test_rows} test sentences with greedy decoding, without the paper's beam search and its averaged checkpoints.${seenText(panel)}

${image("translation", "Validation loss of translation over steps, RoPE and sinusoidal positions")}

${table(["positions", "BLEU", "test loss", "words right, %", "validation loss"], rows)}

${panels.map((each) => verdict(each)).join("\n\n")}${panels.length > 1 ? `\n\nThe rows of ${panels[0].steps} steps show which model learns faster. After ${panels.at(-1).steps} steps both have nearly converged.` : ""}
`;
  return { text, figures: { translation: drawing } };
}
