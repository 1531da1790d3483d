import { Figure } from "../../components/figure.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { logarithmic, type Scale } from "../../components/plot/scale.js";
import { significant } from "../../text/format.js";
import { sides } from "./model.js";
import { scalingTable } from "./pairs-table.js";
import { CursorLine, pairAxis, pick, pointAt } from "./spectrum.js";

/** Powers of two around all factors. A pair that does not rotate has the factor 0 and is drawn at the lower end. */
function scaleOf(factors: readonly number[]): Scale {
  const found = factors.filter((factor) => factor > 0);
  const low = Math.floor(Math.log2(Math.min(0.5, ...found)) - 1e-9);
  const high = Math.max(1, Math.ceil(Math.log2(Math.max(1, ...found)) - 1e-9));
  const every = Math.ceil((high - low) / 6);
  const ticks: number[] = [];
  for (let exponent = 0; exponent >= low; exponent -= every) ticks.push(2 ** exponent);
  for (let exponent = every; exponent <= high; exponent += every) ticks.push(2 ** exponent);
  return { ...logarithmic(2 ** low, 2 ** high), ticks };
}

const tick = (factor: number) =>
  factor === 1 ? "1" : factor < 1 ? `÷${significant(1 / factor)}` : `×${significant(factor)}`;

/** Theta of every pair, divided by its theta without the rule. It shows which pairs a rule keeps, divides or blends. */
export function Scaling() {
  const curves = sides.value.map((side) => ({
    ...side,
    by: side.facts.explanation.pairs.map(({ scaledBy }) => scaledBy),
  }));
  const described = curves.map(
    ({ name, by }) => `${name} from ${significant(Math.min(...by))} to ${significant(Math.max(...by))}`,
  );
  return (
    <Figure name="frequencies-scaling" title="What the rule did" data={scalingTable}>
      <Plot
        label={`Theta under each rule over theta without it: ${described.join("; ")}. The table below holds the numbers.`}
        x={pairAxis()}
        y={{ scale: scaleOf(curves.flatMap(({ by }) => by)), name: "θ with the rule / θ without", tick }}
        inLine
        height={190}
        onPoint={pointAt}
        onPick={pick}
      >
        {(frame) => (
          <>
            <CursorLine frame={frame} />
            {curves.map(({ name, tone, by }) => (
              <path
                key={name}
                class={`line ${tone} ${tone === "a" && curves[1] ? "under" : ""}`}
                d={curvePath(
                  frame,
                  by.map((_, j) => j),
                  by,
                )}
              />
            ))}
          </>
        )}
      </Plot>
    </Figure>
  );
}
