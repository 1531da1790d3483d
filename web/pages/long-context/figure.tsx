import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { doubling, linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { rules } from "../../rope/rules.js";
import { fixed, significant, whole } from "../../text/format.js";
import { dashes, LineKey } from "../../training/tones.js";
import { factors, tested } from "./recipe.js";
import { results, settings, spreadOf, task } from "./session.js";
import { fields, state } from "./state.js";
import { previewFactor, shownFactor, shownRule } from "./view.js";

const write = (value: number) => fixed(value, 3);

function data(): Table {
  return {
    columns: [
      { name: "tokens" },
      ...tested.flatMap((rule) =>
        ["accuracy", "least", "most", "loss"].map((name) => ({ name: `${rules[rule].label} ${name}`, write })),
      ),
    ],
    rows: factors.map((factor) => [
      factor * settings.value.length,
      ...tested.flatMap((rule) => {
        const accuracy = spreadOf(rule, factor, "accuracy");
        return [accuracy?.median, accuracy?.least, accuracy?.most, spreadOf(rule, factor, "loss")?.median];
      }),
    ]),
  };
}

/** The tested length, in lengths of training, nearest to what is pointed at. */
function nearest(tokens: number | undefined): number | undefined {
  if (tokens === undefined) return undefined;
  const away = (factor: number) => Math.abs(Math.log2(tokens / settings.value.length / factor));
  return [...factors].sort((a, b) => away(a) - away(b))[0];
}

function lock(factor: number | undefined): void {
  previewFactor.value = undefined;
  state.at.value = fields.at.parse(String(factor)) ?? state.at.value;
}

/** One line per rule, the median of the seeds in the band of all of them: the same weights, ever longer sequences. */
export function LengthFigure() {
  const measure = state.measure.value;
  const { length } = settings.value;
  const at = shownFactor.value;
  const chance = task.value?.chance;
  const losses = results.value.map(({ loss }) => loss).filter(Number.isFinite);
  const most = measure === "accuracy" ? 1 : Math.max(1, ...losses) * 1.05;
  const reading = (rule: (typeof tested)[number]) => {
    const spread = spreadOf(rule, at, measure);
    if (!spread) return "…";
    const { median, least, most } = spread;
    return least === most ? write(median) : `${write(median)} (${write(least)} to ${write(most)})`;
  };
  const said = tested.map((rule) => `${rules[rule].label} ${reading(rule)}`).join(", ");
  return (
    <Figure
      name="long-context"
      title="Accuracy and loss by test length"
      data={data}
      legend={tested.map((rule, tone) => (
        <span key={rule}>
          <LineKey tone={tone} /> {rules[rule].label}
        </span>
      ))}
      below={
        <Cursor
          id="long-at"
          label="test length"
          value={factors.indexOf(at)}
          min={0}
          max={factors.length - 1}
          step={1}
          says={`${at} times the trained length, ${at * length} tokens: ${said}`}
          onMove={(index) => lock(factors[index])}
        >
          <p>
            <strong>{at}×</strong> the trained length, {whole(at * length)} tokens: {measure}
          </p>
          <ul class="race-reading">
            {tested.map((rule, tone) => (
              <li key={rule}>
                <LineKey tone={tone} /> {rules[rule].label} <strong>{reading(rule)}</strong>
              </li>
            ))}
          </ul>
        </Cursor>
      }
    >
      <Plot
        label={`${measure} against test length on a logarithmic axis, one line per rule, trained at ${length} tokens. At ${at * length} tokens: ${said}. The table below holds the numbers.`}
        x={{ scale: doubling(length, factors.length - 1), name: "tokens of a test sequence, doubling", tick: whole }}
        y={{
          scale: linear(0, most * 1.02, 5),
          name: measure === "accuracy" ? "accuracy" : "loss, nats",
          tick: (value) => significant(value),
        }}
        height={300}
        onPoint={(tokens) => {
          previewFactor.value = nearest(tokens);
        }}
        onPick={(tokens) => lock(nearest(tokens))}
      >
        {(frame) => (
          <>
            {measure === "accuracy" && chance !== undefined && (
              <>
                <line class="limit" x1={frame.left} x2={frame.right} y1={frame.y(chance)} y2={frame.y(chance)} />
                <text class="limit-name" x={frame.left + 4} y={frame.y(chance) - 5}>
                  chance
                </text>
              </>
            )}
            <line
              class="cursor-line"
              x1={frame.x(at * length)}
              x2={frame.x(at * length)}
              y1={frame.top}
              y2={frame.bottom}
            />
            {tested.map((rule, tone) => {
              const own = factors.flatMap((factor) => {
                const spread = spreadOf(rule, factor, measure);
                return spread ? [{ x: factor * length, ...spread }] : [];
              });
              const xs = own.map(({ x }) => x);
              const ys = own.map(({ median }) => median);
              const there = own.map(({ least }) => least);
              const back = curvePath(frame, [...xs].reverse(), own.map(({ most }) => most).reverse());
              return (
                <g
                  key={rule}
                  class={`length-line tone-${tone}`}
                  data-rule={rule}
                  data-faint={(shownRule.value !== "all" && shownRule.value !== rule) || undefined}
                >
                  {own.length > 1 && <path class="band" d={`${curvePath(frame, xs, there)}L${back.slice(1)}Z`} />}
                  <path class="median" stroke-dasharray={dashes[tone]} d={curvePath(frame, xs, ys)} />
                  {xs.map((x, i) => (
                    <circle key={x} cx={frame.x(x)} cy={frame.y(ys[i]!)} r={3.5} />
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
