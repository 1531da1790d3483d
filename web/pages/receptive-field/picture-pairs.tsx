import { CodeDrawer } from "../../code/code-drawer.js";
import { Figure } from "../../components/figure.js";
import { Heat } from "../../components/heat.js";
import { fixed, significant } from "../../text/format.js";
import { optionsOf, type Place, pairFrom, side } from "./axes.js";
import { pictureSnippets } from "./picture-code.js";
import { made, placed, queryIn } from "./picture-model.js";
import { state } from "./state.js";

const cosine = (value: number) => 0.5 + value / 2;
/** The direction along which a pair turns, in a word or in degrees. */
function directionOf([row, column]: Place): string {
  if (column === 0) return "row";
  if (row === 0) return "column";
  return state.way.value === "line" ? "both" : `${fixed((Math.atan(column / row) * 180) / Math.PI, 0)}°`;
}

/** One small map for each pair: its stripes lie across the direction in which it turns. */
function Pairs() {
  const from = queryIn("trained");
  const turns = made.value?.turns ?? [];
  return (
    <Figure
      name="picture-pairs"
      title="Every pair in the picture"
      data={() => ({
        columns: [
          { name: "pair" },
          { name: "turns by" },
          ...["row", "column"].map((name) => ({
            name: `radians a ${name}`,
            write: (value: number) => significant(value, 4),
          })),
        ],
        rows: turns.map((turn, j) => [j, directionOf(turn), ...turn]),
      })}
    >
      <div
        class="picture-pairs"
        role="img"
        aria-label={`Cosine of the angle of each pair between the patch in ${placed(from)} and every patch of the 8 × 8 grid. ${turns.map((turn, j) => `Pair ${j}: ${directionOf(turn)}`).join(", ")}. The table below holds the numbers.`}
      >
        {turns.map((turn, j) => (
          <div key={j}>
            <Heat
              values={pairFrom(made.value!.keys.trained, j, from)}
              rows={side}
              columns={side}
              colours="signed"
              share={cosine}
            />
            <small>
              {j}: {directionOf(turn)}
            </small>
          </div>
        ))}
      </div>
    </Figure>
  );
}

/** The card of the pairs, and of the code. */
export function PicturePairs() {
  return (
    <section class="card" aria-labelledby="picture-pairs-title">
      <h3 id="picture-pairs-title">Which pairs turn by row, and which by column</h3>
      <Pairs />
      <p class="hint">
        Cosine of each pair’s angle from the query’s patch, in the 8 × 8 grid: stripes lie across the direction that the
        pair turns by. 16 pairs, base 100.
      </p>
      <CodeDrawer name="picture" of={() => pictureSnippets(optionsOf[state.way.value], state.way.value === "line")} />
    </section>
  );
}
