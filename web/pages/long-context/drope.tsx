import { signal } from "@preact/signals";
import { Term } from "../../components/term.js";
import type { Table } from "../../export/table.js";
import { fixed } from "../../text/format.js";
import recorded from "./drope.json" with { type: "json" };
import { LinesFigure } from "./lines-figure.js";
import { fields, state } from "./state.js";

type Name = keyof typeof recorded.lines;

/** The lines that are drawn. The table also has the model before the last steps; without rotation its loss is off the scale. */
const drawn: readonly Name[] = ["kept", "yarn", "ntk", "dropped", "never"];
const { factors, length, lines, seeds } = recorded;

const preview = signal<number | undefined>(undefined);
const write = (value: number) => fixed(value, 2);

function spreadOf(name: Name, factor: number) {
  const [median, least, most] = lines[name].losses[factors.indexOf(factor)]!;
  return { median: median!, least: least!, most: most! };
}

function data(): Table {
  const all = Object.values(lines);
  return {
    columns: [
      { name: "letters" },
      ...all.flatMap(({ label }) => ["median", "least", "most"].map((name) => ({ name: `${label}: ${name}`, write }))),
    ],
    rows: factors.map((factor, i) => [factor * length, ...all.flatMap(({ losses }) => losses[i]!)]),
  };
}

/** Recorded losses of a model whose rotation was taken out after training, beside scaling rules for those that keep it. */
export function DropeCard() {
  return (
    <section class="card" aria-labelledby="drope-title">
      <header class="card-head">
        <h3 id="drope-title">Rotation taken out after training (DroPE)</h3>
      </header>
      <LinesFigure
        name="drope"
        title="Loss by test length, with rotation and with rotation taken out"
        data={data}
        lines={drawn.map((id) => ({ id, label: lines[id].label, spread: (factor) => spreadOf(id, factor) }))}
        kind="model"
        measure="loss in nats"
        axis="loss, nats a letter"
        most={Math.max(...drawn.flatMap((name) => factors.map((factor) => spreadOf(name, factor).most)))}
        unit="letters"
        length={length}
        factors={factors}
        at={preview.value ?? Number(state.dropeAt.value)}
        preview={preview}
        lock={(factor) => {
          state.dropeAt.value = fields.dropeAt.parse(String(factor)) ?? state.dropeAt.value;
        }}
        write={write}
      />
      <p class="hint">
        A causal model with RoPE reads {length} letters of the generated English for {recorded.steps} steps. Then its
        rotation is taken out, as DroPE (arXiv 2512.12167) proposes. At the trained length this raises its loss from
        0.64 to 4.74 <Term name="nats" />, and {recorded.further} steps without rotation bring it back to 1.35. At four
        times the length it then has 1.89, against 2.70 for the model that kept its rotation and 1.28 with YaRN at test
        time. A causal model can infer some order from its mask alone.
      </p>
      <p class="hint">
        Recorded results of {seeds.length} seeds of one small model: a line is their median, its band goes from the
        least to the most. The paper tests models of up to 7 billion parameters.{" "}
        <a href="./docs/results.html#drope-rotation-taken-out-after-training">Results and protocol</a>
      </p>
    </section>
  );
}
