import { Figure } from "../../components/figure.js";
import { type Frame, Plot } from "../../components/plot/plot.js";
import { linear, logarithmic } from "../../components/plot/scale.js";
import { power, significant } from "../../text/format.js";
import { parts, thetas } from "./model.js";
import { state } from "./state.js";

const none = () => {};

function Marks({ frame, values, tone }: { frame: Frame; values: Float64Array; tone: string }) {
  return (
    <g class={`marks ${tone}`}>
      {Array.from(values, (theta, j) => (
        <circle key={j} cx={frame.x(j)} cy={frame.y(theta)} r={tone === "a" ? 3 : 2} />
      ))}
    </g>
  );
}

/** The effect of alpha and rho on every pair. */
export function Thetas() {
  const found = thetas.value;
  const phi = parts.value?.found?.phi ?? 0;
  const last = state.d.value / 2 - 1;
  const scale = linear(0, Math.max(1, last), 8);
  const least = Math.min(0.5, phi || 1, found?.plain.at(-1) ?? 1, found?.changed.at(-1) ?? 1);
  const floor = 10 ** Math.floor(Math.log10(Math.max(1e-8, least)) + 1e-9);
  return (
    <Figure
      name="receptive-field-theta"
      title="Frequency of every pair"
      data={() => ({
        columns: [
          { name: "pair", write: String },
          { name: "θ", write: (value) => significant(value, 5) },
          { name: "θ*", write: (value) => significant(value, 5) },
        ],
        rows: Array.from(found?.plain ?? [], (theta, j) => [j, theta, found?.changed[j]]),
      })}
    >
      <Plot
        label={`θ of ${last + 1} pairs, from 1 down to ${significant(found?.plain.at(-1) ?? 0)}, and θ* at α ${state.alpha.value}, ρ ${state.rho.value}: from ${significant(found?.changed[0] ?? 0)} to ${significant(found?.changed.at(-1) ?? 0)}. The table below holds the numbers.`}
        x={{ scale: { ...scale, ticks: scale.ticks.filter(Number.isInteger) }, name: "pair j", tick: String }}
        y={{ scale: logarithmic(floor, 1, 6), name: "radians per position", tick: power }}
        height={220}
        onPoint={none}
        onPick={none}
      >
        {(frame) => (
          <>
            {phi > floor && <line class="limit" x1={frame.left} x2={frame.right} y1={frame.y(phi)} y2={frame.y(phi)} />}
            {found && <Marks frame={frame} values={found.plain} tone="plain" />}
            {found && <Marks frame={frame} values={found.changed} tone="a" />}
          </>
        )}
      </Plot>
    </Figure>
  );
}
