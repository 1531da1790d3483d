// From the generated English into a made-up language: rotation in both self-attentions against sinusoidal positions.
import { figure } from "../figure.mjs";
import { middle } from "../summary.mjs";
import { lowerIn } from "./causal.mjs";
import { lossPanel } from "./race.mjs";
import { accuracyText, bandText, image, nats, scoreText, table } from "./words.mjs";

const hundredfold = (value) => (100 * value).toFixed(1);

/** In how many of the pairs that share a seed the first has the higher BLEU. */
function higherIn(arm, other) {
  const [own, others] = [arm, other].map(({ tests }) => tests["1x"].scores.BLEU);
  return `${own.filter((score, seed) => score > others[seed]).length} of ${own.length}`;
}

function verdict({ rope, sinusoidal }) {
  const [own, other] = [rope, sinusoidal].map(({ tests }) => middle(tests["1x"].scores.BLEU));
  const better = own > other ? "ahead of" : own < other ? "behind" : "level with";
  return `RoPE's median BLEU of ${hundredfold(own)} is ${better} the ${hundredfold(other)} of sinusoidal positions. Of the pairs that share a seed, and so data and initial weights, RoPE had the higher BLEU in ${higherIn(rope, sinusoidal)} and the lower validation loss in ${lowerIn(rope, sinusoidal)}.`;
}

export function translationSection(results) {
  const panel = results.experiments.translation?.translation;
  if (!panel) return null;
  const drawing = figure({
    title: "Translation from the generated English into a made-up language",
    description:
      "Validation loss in nats a word over steps on a logarithmic axis: median of the seeds, band from least to most.",
    panels: [lossPanel(panel, "translation: validation loss")],
  });
  const rows = Object.values(panel.arms).map((arm) => [
    arm.label,
    scoreText(arm.tests["1x"].scores.BLEU, hundredfold),
    bandText(arm.tests["1x"].loss, nats),
    accuracyText(arm.tests["1x"].accuracy),
    bandText(arm.loss, nats),
  ]);
  const text = `## Translation

Table 1 of the paper translates English into German (WMT 2014): a Transformer reaches 27.3 BLEU, and the same with rotation in its self-attentions 27.5. Here an encoder-decoder translates first sentences of the generated English, of at most ${panel.length} words, into a made-up language. Its verb comes last, relative clauses come before their noun, and there is no passive; particles mark the parts of a sentence; adjectives agree with their noun, and verbs with their subject, in three classes and two numbers. The translation follows from the sentence (\`cpp/src/translation/language.hpp\`), so that a perfect model reaches 100 BLEU and a loss of 0.

Both models have 2 + 2 post-norm layers of 64 channels and 4 heads, and one table of words for both languages. *RoPE* rotates queries and keys of the self-attentions of encoder and decoder; nothing rotates in cross-attention. *sinusoidal* adds Vaswani et al.'s sines to the words on both sides. Training takes ${panel.steps} steps of ${panel.batch} pairs with label smoothing of 0.1; losses below are without it. BLEU is that of the corpus of ${panel.test_rows} test sentences (4-grams, clipped, brevity penalty), whose words are the likeliest one after another, without the paper's beam search and its averaged checkpoints.

${image("translation", "Validation loss of translation over steps, RoPE and sinusoidal positions")}

${table(["positions", "BLEU", "test loss", "words right, %", "validation loss"], rows)}

${verdict(panel.arms)}
`;
  return { text, figures: { translation: drawing } };
}
