import { Figure } from "../../components/figure.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { type Axis, Plot } from "../../components/plot/plot.js";
import { linear, logarithmic } from "../../components/plot/scale.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { Term } from "../../components/term.js";
import type { Table } from "../../export/table.js";
import { milliseconds, percent, power, significant } from "../../text/format.js";
import type { Comparison, Lane } from "./calls.js";
import { type How, isOperation, type Operation } from "./log.js";
import { replaceLast, session } from "./model.js";
import { ruleNames } from "./rules.js";
import { state } from "./state.js";
import { shownText } from "./strip.js";

/** Keys that differ by less are the same but for rounding. */
const SAME = 1e-5;
/** The least difference that the plot can show. */
const LEAST = 1e-8;

const names: Readonly<Record<Operation["op"], Readonly<Record<How, string>>>> = {
  drop: { kept: "cut and closed up", unrotated: "keys left unrotated", afresh: "computed afresh" },
  append: { kept: "chunk appended", unrotated: "", afresh: "computed afresh" },
  rescale: { kept: "cached keys rotated", unrotated: "", afresh: "computed afresh" },
};
const explained: Readonly<Record<Operation["op"], Readonly<Record<How, string>>>> = {
  drop: {
    kept: "Each key behind the cut is rotated to its new position, once.",
    unrotated: "Positions are counted anew, but the keys keep their old rotation: a bug that many programs had.",
    afresh: "The text without the cut tokens, in an empty cache.",
  },
  append: {
    kept: "The chunk’s keys are rotated to their new positions. Its tokens never saw the text before them.",
    unrotated: "",
    afresh: "Text and chunk together, in an empty cache.",
  },
  rescale: {
    kept: "The cached keys are rotated to the new frequencies. Deeper layers were computed under the old ones.",
    unrotated: "",
    afresh: "The whole text under the new rule, in an empty cache.",
  },
};

function title({ operation }: Comparison): string {
  if (operation.op === "drop") return `What cutting positions ${operation.from} to ${operation.to - 1} changed`;
  if (operation.op === "append") return "What the appended chunk changed";
  const factor = operation.rule === "default" ? "" : `, factor ${significant(operation.factor)}`;
  return `What the rule “${ruleNames[operation.rule]}”${factor}, changed`.replace(/, (?=changed)/, " ");
}

/** From which layer the keys of the first lane are not those of a fresh pass. */
function sentence({ lanes, operation }: Comparison): string {
  const keys = lanes[0]!.keys;
  const first = keys.findIndex((change) => change > SAME);
  const before = keys.slice(0, first < 0 ? keys.length : first);
  const largest = significant(Math.max(0, ...before), 2);
  if (first < 0)
    return `The keys of all layers are those of a fresh pass: they differ by at most ${largest} of their length.`;
  const why =
    operation.op === "drop"
      ? "they were computed while the cut tokens could still be seen"
      : operation.op === "append"
        ? "the chunk’s tokens did not see the text before them"
        : "they were computed under the old frequencies";
  if (first === 0) return `From layer 0 on the keys differ from those of a fresh pass: ${why}.`;
  const shown = first === 1 ? "Layer 0 has" : `Layers 0 to ${first - 1} have`;
  return `${shown} the keys of a fresh pass, to within ${largest} of their length. From layer ${first} on they differ: ${why}.`;
}

function LaneCard({ comparison, lane }: { comparison: Comparison; lane: Lane }) {
  const { operation } = comparison;
  const last = state.log.value.at(-1);
  // Another way can be taken until the text has gone on.
  const open = last !== undefined && isOperation(last);
  const taken = operation.how === lane.how;
  return (
    <li class="lane" data-how={lane.how}>
      <h4>{names[operation.op][lane.how]}</h4>
      <p class="hint">{explained[operation.op][lane.how]}</p>
      <dl>
        <div>
          <dt>
            <Term name="KL" /> to a fresh pass
          </dt>
          <dd>{lane.how === "afresh" ? "0" : `${significant(lane.divergence, 2)} nats`}</dd>
        </div>
        <div>
          <dt>computed in</dt>
          <dd>{milliseconds(lane.milliseconds)}</dd>
        </div>
      </dl>
      <p class="continuation">
        <span class="hint">continues:</span> {lane.continuation.trim() || "…"}
      </p>
      <button
        type="button"
        aria-pressed={taken}
        disabled={!open && !taken}
        onClick={() => !taken && replaceLast({ ...operation, how: lane.how } as Operation)}
      >
        {taken ? "The text above" : "Go on from here"}
      </button>
    </li>
  );
}

function Chances({ comparison }: { comparison: Comparison }) {
  const { words, before, lanes, operation } = comparison;
  const columns = [
    { how: "before", name: "before", probabilities: before },
    ...lanes.map((lane) => ({ ...lane, name: names[operation.op][lane.how] })),
  ];
  return (
    <ScrollTable label="Next token, before and after">
      <thead>
        <tr>
          <th scope="col">next token</th>
          {columns.map(({ how, name }) => (
            <th scope="col" key={how}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {words.map((word, row) => (
          <tr key={word.id}>
            <th scope="row">{shownText(word.text)}</th>
            {columns.map(({ how, probabilities }) => (
              <td key={how} class="chance" data-how={how} style={{ "--share": probabilities[row]! }}>
                {percent(probabilities[row]!)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function keyTable({ lanes, operation }: Comparison): Table {
  const shown = lanes.slice(0, -1);
  return {
    columns: [{ name: "layer" }, ...shown.map(({ how }) => ({ name: names[operation.op][how], write: significant }))],
    rows: shown[0]!.keys.map((_, layer) => [layer, ...shown.map(({ keys }) => keys[layer]!)]),
  };
}

function Keys({ comparison }: { comparison: Comparison }) {
  const { lanes, operation } = comparison;
  const shown = lanes.slice(0, -1);
  const layers = shown[0]!.keys.length;
  const x: Axis = { scale: linear(0, Math.max(1, layers - 1), Math.min(10, layers)), name: "layer", tick: String };
  const y: Axis = {
    scale: logarithmic(LEAST, 4, 6),
    name: "largest change of a key, as a share of its length",
    tick: power,
  };
  const all = Array.from({ length: layers }, (_, layer) => layer);
  return (
    <Figure
      name="cached-keys"
      title="Keys of each layer, compared with a fresh pass"
      data={() => keyTable(comparison)}
      legend={shown.map(({ how }) => (
        <span class="key lane-key" data-how={how} key={how}>
          {names[operation.op][how]}
        </span>
      ))}
    >
      <Plot
        label={`The largest change of a key in each of ${layers} layers, compared with a fresh pass. ${sentence(comparison)} The table below holds the numbers.`}
        x={x}
        y={y}
        height={220}
        onPoint={() => {}}
      >
        {(frame) =>
          shown.map(({ how, keys }) => {
            const drawn = keys.map((change) => Math.max(LEAST, change));
            return (
              <g key={how} class="lane-line" data-how={how}>
                <path class="line" d={curvePath(frame, all, drawn)} />
                {drawn.map((change, layer) => (
                  <circle key={layer} cx={frame.x(layer)} cy={frame.y(change)} r={3.5} />
                ))}
              </g>
            );
          })
        }
      </Plot>
    </Figure>
  );
}

/** The caches that the last operation could have left, beside each other. */
export function ComparisonCard() {
  const comparison = session.value?.comparison;
  if (!comparison) return null;
  return (
    <section class="card generate-comparison" aria-labelledby="generate-comparison-title">
      <h3 id="generate-comparison-title">{title(comparison)}</h3>
      <p class="comparison-sentence">{sentence(comparison)}</p>
      <ul class="lanes">
        {comparison.lanes.map((lane) => (
          <LaneCard key={lane.how} comparison={comparison} lane={lane} />
        ))}
      </ul>
      <div class="comparison-figures">
        <div>
          <h4>The next token, before and after</h4>
          <Chances comparison={comparison} />
        </div>
        <div>
          <h4>From which layer the keys differ</h4>
          <Keys comparison={comparison} />
        </div>
      </div>
    </section>
  );
}
