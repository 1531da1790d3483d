import { Figure } from "../../components/figure.js";
import { Term } from "../../components/term.js";
import type { Table } from "../../export/table.js";
import { run } from "../../model/session.js";
import { Plane } from "../../rope/dial.js";
import type { Pair } from "../../rope/pairs.js";
import { fixed, significant } from "../../text/format.js";
import { arrows, previewCell, shownHead, shownTokens } from "./view.js";

const write = (value: number) => fixed(value, 4);

function table(): Table {
  const column = (name: string) => ({ name, write });
  const vectors = ["q", "k", "q rotated", "k rotated"].flatMap((name) => [
    column(`${name}, first`),
    column(`${name}, second`),
  ]);
  return {
    columns: [
      { name: "pair" },
      { name: "θ", write: (value) => significant(value, 4) },
      ...vectors,
      column("part of q · k"),
    ],
    rows: arrows.value.map(({ index, theta, q, k, qTurned, kTurned, score }) => [
      index,
      theta,
      ...q,
      ...k,
      ...qTurned,
      ...kTurned,
      score,
    ]),
  };
}

/** In words, for who cannot see the arrows. */
const describe = ({ index, score }: Pair) => `pair ${index} adds ${fixed(score, 2)}`;

/** The query of one token and the key of another, pair by pair, before and after their positions turned them. */
export function TokenArrows() {
  const tokens = run.value?.tokens ?? [];
  const { row, column } = shownTokens.value;
  const { layer, head } = shownHead.value;
  const all = arrows.value;
  const sum = all.reduce((total, { score }) => total + score, 0);
  const logit = sum / Math.sqrt(2 * all.length);
  const greatest = [...all].sort((a, b) => Math.abs(b.score) - Math.abs(a.score)).slice(0, 3);
  return (
    <section class="card token-arrows" aria-labelledby="arrows-title">
      <header class="card-head">
        <h3 id="arrows-title">
          Query of “{tokens[row] ?? "…"}”, key of “{tokens[column] ?? "…"}”
        </h3>
        <span class="hint">
          {previewCell.value ? "preview; click the map to lock" : "pick another pair in the attention map"}
        </span>
      </header>
      <Figure
        name="token-arrows"
        title="Query and key, pair by pair"
        data={table}
        legend={
          <p class="key-line">
            <span class="key q">q rotated</span>
            <span class="key k">k rotated</span>
            <span class="key ghost">before</span>
          </p>
        }
        below={
          <p class="reading-line">
            {all.length === 0 ? (
              "The arrows follow as soon as the model has been read."
            ) : (
              <>
                Layer {layer}, head {head}, positions {row} and {column}: q · k = <strong>{write(sum)}</strong>, divided
                by √{2 * all.length} a score of <strong>{write(logit)}</strong>
              </>
            )}
          </p>
        }
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing of many parts, not a set of fields. */}
        <div
          class="dials"
          data-many={all.length > 16 || undefined}
          role="group"
          aria-label={`Arrows of the ${all.length} pairs of channels in layer ${layer}, head ${head}. Most: ${greatest.map(describe).join(", ")}. The table below holds the numbers.`}
        >
          {all.map((pair) => (
            <div class="token-dial" key={pair.index}>
              <Plane pair={pair} />
              <span class="dial-name">{pair.index}</span>
              <span class="dial-wave">{fixed(pair.score, 2)}</span>
            </div>
          ))}
        </div>
      </Figure>
      <p class="hint">
        A dial is one <Term name="pair" /> of channels, with what it adds to q · k beneath. At position m a pair has
        turned by mθ. The last pairs are so slow that they can carry meaning rather than position.
      </p>
    </section>
  );
}
