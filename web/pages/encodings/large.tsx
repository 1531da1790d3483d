import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { fixed, scoreText } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import { coloursNow, shareOf } from "./grid.js";
import { explanations } from "./kinds.js";
import {
  answers,
  from,
  mapOf,
  previewEncoding,
  scoreSize,
  shownEncoding,
  signed,
  to,
  words as typed,
} from "./model.js";
import { state } from "./state.js";

const preview = signal<Cell | undefined>(undefined);
const titles = { scores: "Scores", attention: "Attention", change: "Difference of scores" } as const;

/** The chosen encoding: rows are queries, columns keys, both in the order of the words. */
export function Large() {
  const name = shownEncoding.value;
  const [label, says] = [encodingLabels[name], explanations[name]];
  const answer = answers.value?.of[name];
  const words = answers.value?.words ?? typed.value;
  const values = mapOf(answer);
  const refused = answer?.refusals[state.view.value];
  const locked = { row: Math.min(from.value, words.length - 1), column: Math.min(to.value, words.length - 1) };
  const shown = preview.value && preview.value.row < words.length ? preview.value : locked;
  const value = values?.[shown.row * words.length + shown.column];
  const size = scoreSize.value;
  const what = titles[state.show.value];
  const digit = (of: number) => fixed(of, size < 0.4 ? 2 : 1);
  const [least, most] = signed.value ? [`≤ ${digit(-size)}`, `≥ ${digit(size)}`] : ["0", "1"];
  // Colours go with the square root, so half of one is a quarter of the number.
  const ticks = [-0.25, 0, 0.25].map((part) => [0.5 + Math.sign(part) / 4, digit(part * size)] as const);
  return (
    <section class="card encodings-large" aria-labelledby="encodings-large-title">
      <header class="card-head">
        <h3 id="encodings-large-title">{label}</h3>
        <span class="hint">{previewEncoding.value ? "preview; click to keep it" : what.toLowerCase()}</span>
      </header>
      <p class="encodings-says">{says}</p>
      <Figure
        name={`encodings-${name}`}
        title={`${what} under ${label}`}
        data={() => ({
          columns: [{ name: "query \\ key" }, ...words.map((word) => ({ name: word, write: scoreText }))],
          rows: words.map((word, i) => [word, ...(values?.subarray(i * words.length, (i + 1) * words.length) ?? [])]),
        })}
        below={
          <p class="reading" aria-live="polite">
            <span>
              query <b class="q">{words[shown.row]}</b> <small>({shown.row})</small>, key{" "}
              <b class="k">{words[shown.column]}</b> <small>({shown.column})</small>:{" "}
              <strong id="encodings-value">{value === undefined ? "…" : scoreText(value)}</strong>
            </span>
          </p>
        }
      >
        {refused ? (
          <p class="failure encodings-refused">{refused}</p>
        ) : (
          <>
            <HeatMap
              values={values}
              rows={words}
              columns={words}
              colours={coloursNow()}
              share={shareOf(size)}
              names={["query", "key"]}
              label={`${what} under ${label}: ${words.length} words by ${words.length}, ${state.view.value}.`}
              shown={shown}
              locked={locked}
              onPreview={(cell) => {
                preview.value = cell;
              }}
              onLock={(cell) => {
                if (!cell) return;
                state.from.value = cell.row;
                state.to.value = cell.column;
              }}
            />
            <Legend colours={coloursNow()} least={least} most={most} ticks={signed.value ? ticks : [[0.5, "0.25"]]} />
          </>
        )}
      </Figure>
    </section>
  );
}
