import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { type Frame, Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import { fixed, scoreText } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import { encodingNames } from "./kinds.js";
import { answers, from, shownEncoding, to, words } from "./model.js";
import { reach } from "./sizes.js";
import { state } from "./state.js";

const preview = signal<number | undefined>(undefined);
const distances = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);

/** Both sides of distance 0, where one place would have to hold two words. */
function path(frame: Frame, curve: Float32Array): string {
  const side = (begin: number, end: number) =>
    curvePath(frame, distances.slice(begin, end), curve.subarray(begin, end));
  return side(0, reach) + side(reach + 1, 2 * reach + 1);
}

/** The same two words at every distance, under every encoding; the chosen one in front. */
export function Curve() {
  const chosen = shownEncoding.value;
  const of = answers.value?.of;
  const curves = encodingNames.map((name) => of?.[name].curve ?? new Float32Array());
  const values = curves.flatMap((curve) => [...curve.filter((_, i) => i !== reach)]);
  const [least, most] = values.length ? [Math.min(...values), Math.max(...values)] : [-1, 1];
  const pad = 0.05 * (most - least) + 1e-3;
  const at = preview.value ?? state.at.value;
  const read = (name: (typeof encodingNames)[number]) => (at === 0 ? undefined : of?.[name].curve[at + reach]);
  const [query, key] = [words.value[from.value], words.value[to.value]];
  const now = read(chosen);
  return (
    <Figure
      name="encodings-distance"
      title="Score against distance"
      data={() => ({
        columns: [
          { name: "key − query", write: String },
          ...encodingNames.map((name) => ({ name: encodingLabels[name], write: scoreText })),
        ],
        rows: distances.map((n, i) => [n, ...curves.map((curve) => curve[i])] as const).filter(([n]) => n !== 0),
      })}
      legend={
        <>
          <span class="key chosen">{encodingLabels[chosen]}</span>
          <span class="key others">the other encodings: choose one by its map</span>
        </>
      }
      below={
        <Cursor
          id="encodings-at"
          label="key position − query position"
          value={state.at.value}
          min={-reach}
          max={reach}
          step={1}
          says={`${at}: ${now === undefined ? "one position holds one word" : `score ${scoreText(now)} under ${encodingLabels[chosen]}`}`}
          onMove={(value) => {
            preview.value = undefined;
            state.at.value = value;
          }}
        >
          <p>
            query <b class="q">{query}</b>, key <b class="k">{key}</b> at <strong>{fixed(at, 0)}</strong>,{" "}
            {encodingLabels[chosen]}:{" "}
            <strong id="encodings-curve-value">
              {now === undefined ? (at === 0 ? "one position holds one word" : "…") : scoreText(now)}
            </strong>
          </p>
        </Cursor>
      }
    >
      <Plot
        label={`Score of ${query} and ${key} with the key ${reach} positions before the query to ${reach} after, under every encoding; ${encodingLabels[chosen]} in front. The table below holds the numbers.`}
        x={{ scale: linear(-reach, reach, 8), name: "key position − query position", tick: (value) => fixed(value, 0) }}
        y={{ scale: linear(least - pad, most + pad, 5), name: "score", tick: (value) => fixed(value, 1) }}
        height={260}
        onPoint={(x) => {
          preview.value = x === undefined ? undefined : Math.round(x);
        }}
        onPick={(x) => {
          state.at.value = Math.round(x);
        }}
      >
        {(frame) => (
          <>
            <line class="cursor-line" x1={frame.x(at)} x2={frame.x(at)} y1={frame.top} y2={frame.bottom} />
            {of &&
              encodingNames
                .filter((name) => name !== chosen)
                .map((name) => <path key={name} class="line other" d={path(frame, of[name].curve)} />)}
            {of && <path class="line chosen" d={path(frame, of[chosen].curve)} />}
            {now !== undefined && <circle class="spot" cx={frame.x(at)} cy={frame.y(now)} r={4.5} />}
          </>
        )}
      </Plot>
    </Figure>
  );
}
