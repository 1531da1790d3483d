import { Figure } from "../../components/figure.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import { fixed, significant, whole } from "../../text/format.js";
import { sizes } from "../../training/recipe.js";
import { dashes, LineKey } from "../../training/tones.js";
import { race, runs } from "./race.js";

const nothing = () => {};

/** The course of alpha (full lines) and rho (dashed) of each head while the first seed trains, if they are learned. */
export function FieldFigure() {
  const run = runs.value.find(({ encoding }) => encoding === "rope-receptive-field");
  const shown = race.value;
  if (!run || !shown) return null;
  const points = run.points.flatMap(({ step, fields }) => (fields ? [{ step, ...fields }] : []));
  const heads = sizes[shown.settings.size].num_attention_heads;
  const names = points[0]?.alpha.map((_, i) => `layer ${Math.floor(i / heads)} head ${i % heads}`) ?? [];
  const steps = points.map(({ step }) => step);
  const of = (which: "alpha" | "rho", i: number) => points.map((point) => point[which][i]!);
  const all = points.flatMap(({ alpha, rho }) => [...alpha, ...rho]);
  const last = points.at(-1);
  const said = names.map((name, i) => `${name}: α ${fixed(last!.alpha[i]!, 3)}, ρ ${fixed(last!.rho[i]!, 3)}`);
  return (
    <section class="card" aria-labelledby="field-title">
      <header class="card-head">
        <h3 id="field-title">The learned receptive fields</h3>
        <p class="key-line">
          <LineKey tone={0} /> α <LineKey tone={1} /> ρ
        </p>
      </header>
      <Figure
        name="learned-fields"
        title="α and ρ of every head"
        data={() => ({
          columns: [
            { name: "step" },
            ...names.flatMap((name) => [
              { name: `${name} α`, write: (value: number) => fixed(value, 4) },
              { name: `${name} ρ`, write: (value: number) => fixed(value, 4) },
            ]),
          ],
          rows: points.map(({ step, alpha, rho }) => [step, ...alpha.flatMap((value, i) => [value, rho[i]])]),
        })}
        below={
          <p class="hint">
            Seed {run.seed}, every head of every layer: {said.join("; ")}.
          </p>
        }
      >
        <Plot
          label={`α and ρ against steps. Now ${said.join("; ")}. The table below holds the numbers.`}
          x={{ scale: linear(0, shown.settings.steps, 8), name: "step", tick: whole }}
          y={{
            scale: linear(Math.min(0, ...all), Math.max(1, ...all), 5),
            name: "α, ρ",
            tick: (value) => significant(value),
          }}
          height={220}
          onPoint={nothing}
          onPick={nothing}
        >
          {(frame) =>
            names.map((name, i) => (
              <g key={name}>
                <path class="median tone-0" d={curvePath(frame, steps, of("alpha", i))} />
                <path class="median tone-1" stroke-dasharray={dashes[1]} d={curvePath(frame, steps, of("rho", i))} />
              </g>
            ))
          }
        </Plot>
      </Figure>
    </section>
  );
}
