import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { doubling, linear } from "../../components/plot/scale.js";
import { Term } from "../../components/term.js";
import type { Table } from "../../export/table.js";
import { fixed, significant, whole } from "../../text/format.js";
import { dashes, LineKey } from "../../training/tones.js";
import recorded from "./drope.json" with { type: "json" };
import { fields, state } from "./state.js";

type Name = keyof typeof recorded.lines;

/** The lines that are drawn. The table also has the model before the last steps; without rotation its loss is off the scale. */
const drawn: readonly Name[] = ["kept", "yarn", "ntk", "dropped", "never"];
const { factors, length, lines, seeds } = recorded;

const preview = signal<number | undefined>(undefined);
const write = (value: number) => fixed(value, 2);

/** The loss of a line at the index of a tested length. */
function lossOf(name: Name, index: number) {
  const [median, least, most] = lines[name].losses[index]!;
  return { median: median!, least: least!, most: most! };
}

function data(): Table {
  const all = Object.keys(lines) as Name[];
  return {
    columns: [
      { name: "tokens" },
      ...all.flatMap((name) =>
        ["median", "least", "most"].map((column) => ({ name: `${lines[name].label}: ${column}`, write })),
      ),
    ],
    rows: factors.map((factor, i) => [
      factor * length,
      ...all.flatMap((name) => {
        const { median, least, most } = lossOf(name, i);
        return [median, least, most];
      }),
    ]),
  };
}

/** The tested length, in lengths of training, nearest to what is pointed at. */
function nearest(tokens: number | undefined): number | undefined {
  if (tokens === undefined) return undefined;
  const away = (factor: number) => Math.abs(Math.log2(tokens / length / factor));
  return [...factors].sort((a, b) => away(a) - away(b))[0];
}

function lock(factor: number | undefined): void {
  preview.value = undefined;
  state.dropeAt.value = fields.dropeAt.parse(String(factor)) ?? state.dropeAt.value;
}

/** Recorded losses of a model whose rotation was taken out after training, beside scaling rules for those that keep it. */
function DropeFigure() {
  const at = preview.value ?? Number(state.dropeAt.value);
  const index = factors.indexOf(at);
  const most = Math.max(...drawn.flatMap((name) => factors.map((_, i) => lossOf(name, i).most)));
  const reading = (name: Name) => {
    const { median, least, most } = lossOf(name, index);
    return `${write(median)} (${write(least)} to ${write(most)})`;
  };
  const said = drawn.map((name) => `${lines[name].label} ${reading(name)}`).join("; ");
  return (
    <Figure
      name="drope"
      title="Loss by test length, with rotation and with rotation taken out"
      data={data}
      legend={drawn.map((name, tone) => (
        <span key={name}>
          <LineKey tone={tone} /> {lines[name].label}
        </span>
      ))}
      below={
        <Cursor
          id="drope-at"
          label="test length"
          value={index}
          min={0}
          max={factors.length - 1}
          step={1}
          says={`${at} times the trained length, ${at * length} letters: ${said}`}
          onMove={(moved) => lock(factors[moved])}
        >
          <p>
            <strong>{at}×</strong> the trained length, {whole(at * length)} letters: loss in nats
          </p>
          <ul class="race-reading">
            {drawn.map((name, tone) => (
              <li key={name}>
                <LineKey tone={tone} /> {lines[name].label} <strong>{reading(name)}</strong>
              </li>
            ))}
          </ul>
        </Cursor>
      }
    >
      <Plot
        label={`loss against test length on a logarithmic axis, one line per model, trained at ${length} letters. At ${at * length} letters: ${said}. The table below holds the numbers.`}
        x={{ scale: doubling(length, factors.length - 1), name: "letters of a test sequence, doubling", tick: whole }}
        y={{ scale: linear(0, most * 1.02, 5), name: "loss, nats a letter", tick: (value) => significant(value) }}
        height={300}
        onPoint={(tokens) => {
          preview.value = nearest(tokens);
        }}
        onPick={(tokens) => lock(nearest(tokens))}
      >
        {(frame) => (
          <>
            <line
              class="cursor-line"
              x1={frame.x(at * length)}
              x2={frame.x(at * length)}
              y1={frame.top}
              y2={frame.bottom}
            />
            {drawn.map((name, tone) => {
              const xs = factors.map((factor) => factor * length);
              const own = factors.map((_, i) => lossOf(name, i));
              const there = curvePath(
                frame,
                xs,
                own.map(({ least }) => least),
              );
              const back = curvePath(frame, [...xs].reverse(), own.map(({ most }) => most).reverse());
              const medians = own.map(({ median }) => median);
              return (
                <g key={name} class={`length-line tone-${tone}`} data-model={name}>
                  <path class="band" d={`${there}L${back.slice(1)}Z`} />
                  <path class="median" stroke-dasharray={dashes[tone]} d={curvePath(frame, xs, medians)} />
                  {xs.map((x, i) => (
                    <circle key={x} cx={frame.x(x)} cy={frame.y(medians[i]!)} r={3.5} />
                  ))}
                </g>
              );
            })}
          </>
        )}
      </Plot>
    </Figure>
  );
}

export function DropeCard() {
  return (
    <section class="card" aria-labelledby="drope-title">
      <header class="card-head">
        <h3 id="drope-title">Rotation taken out after training (DroPE)</h3>
      </header>
      <DropeFigure />
      <p class="hint">
        A causal model with RoPE reads {length} letters of the generated English for {recorded.steps} steps. Then its
        rotation is taken out, as DroPE (arXiv 2512.12167) proposes. At the trained length this raises its loss from
        0.64 to 4.74 <Term name="nats" />, and {recorded.further} steps without rotation bring it back to 1.35. At four
        times the length it then has 1.89, against 2.70 for the model that kept its rotation and 1.28 with YaRN at test
        time. A causal model can infer some order from its mask alone.
      </p>
      <p class="hint">
        Recorded results of {seeds.length} seeds ({seeds.join(", ")}) of one small model: a line is their median, its
        band goes from the least to the most. The paper tests models of up to 7 billion parameters.{" "}
        <a href="./docs/results.html#drope-rotation-taken-out-after-training">Results and protocol</a>
      </p>
    </section>
  );
}
