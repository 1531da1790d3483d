import { Failure } from "../../components/failure.js";
import { Figure } from "../../components/figure.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { type Frame, Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import { fixed, scoreText, whole } from "../../text/format.js";
import { cancelFit, fit, fitFailure, fitted, fitting, wanted } from "./fit.js";
import { kernel, span } from "./model.js";
import { state } from "./state.js";
import { drawn, type Preset, pointDistance, presets } from "./wanted.js";

const none = () => {};
const names: ReadonlyArray<readonly [Preset, string]> = [
  ["local", "local"],
  ["middle", "in between"],
  ["global", "global"],
  ["wave", "a wave"],
];

/** Receives the pointer over the curves. A stroke draws the wanted curve. */
function Paper({ frame }: { frame: Frame }) {
  let last: readonly [number, number] | undefined;
  const at = (event: PointerEvent & { currentTarget: SVGRectElement }): readonly [number, number] => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (value: number) => Math.max(0, Math.min(1, value));
    const x = share((event.clientX - box.left) / box.width) * span.value;
    return [x, Math.round((1 - 2 * share((event.clientY - box.top) / box.height)) * 100) / 100];
  };
  const stroke = (to: readonly [number, number]) => {
    const points = drawn(state.wanted.value, span.value, last ?? to, to);
    state.wanted.value = points.map((value) => Math.round(value * 100) / 100);
    last = to;
  };
  return (
    <rect
      class="paper"
      x={frame.left}
      y={frame.top}
      width={frame.right - frame.left}
      height={frame.bottom - frame.top}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        last = undefined;
        stroke(at(event));
      }}
      onPointerMove={(event) => {
        if (event.buttons & 1) stroke(at(event));
      }}
    />
  );
}

/** The wanted curve, drawn by hand or typed, and the nearest curve that alpha and rho can make. */
export function Drawing() {
  const found = kernel.value?.found;
  const all = Float64Array.from(wanted.value, (_, n) => n);
  const result = fitted.value;
  return (
    <Figure
      name="receptive-field-fit"
      title="Wanted and found score"
      data={() => ({
        columns: ["distance", "wanted", "mean kernel"].map((name, i) => ({
          name,
          write: (value: number) => (i ? scoreText(value) : whole(value)),
        })),
        rows: Array.from(wanted.value, (value, n) => [n, value, found?.[n]]),
      })}
      below={
        <>
          <fieldset class="wanted">
            <legend>wanted score at distance</legend>
            {state.wanted.value.map((value, i) => (
              <label key={i}>
                <span>{fixed(pointDistance(i + 1, span.value), 0)}</span>
                <input
                  type="number"
                  min={-1}
                  max={1}
                  step={0.05}
                  value={value}
                  onChange={(event) => {
                    const given = Number(event.currentTarget.value);
                    const sound = event.currentTarget.value.trim() !== "" && given >= -1 && given <= 1;
                    if (sound)
                      state.wanted.value = state.wanted.value.map((kept, j) =>
                        j === i ? Math.round(given * 1000) / 1000 : kept,
                      );
                    else event.currentTarget.value = String(value);
                  }}
                />
              </label>
            ))}
          </fieldset>
          <div class="fit-row">
            <span class="hint">Presets</span>
            {names.map(([name, label]) => (
              <button
                type="button"
                key={name}
                onClick={() => {
                  state.wanted.value = presets[name];
                }}
              >
                {label}
              </button>
            ))}
          </div>
          <div class="fit-row">
            {fitting.value === undefined ? (
              <button type="button" class="primary" onClick={() => void fit()}>
                Find α and ρ
              </button>
            ) : (
              <>
                <button type="button" onClick={cancelFit}>
                  Cancel
                </button>
                <progress aria-label="Searching" />
              </>
            )}
            <p role="status" id="fit-status">
              {fitting.value !== undefined
                ? `step ${fitting.value}`
                : result
                  ? `α = ${fixed(result.alpha, 4)}, ρ = ${fixed(result.rho, 4)}: off by ${fixed(result.error, 4)} (root mean square)${result.error > 0.1 ? ". Two parameters cannot match this curve." : ""}`
                  : ""}
            </p>
          </div>
          <Failure says={fitFailure.value} />
        </>
      }
    >
      <Plot
        label={`The wanted score, ${state.wanted.value.map((value, i) => `${value} at ${pointDistance(i + 1, span.value)}`).join(", ")}; and the mean kernel of α ${state.alpha.value}, ρ ${state.rho.value}. The boxes below change it.`}
        x={{ scale: linear(0, span.value, 8), name: "distance", tick: whole }}
        y={{ scale: linear(-1, 1, 4), name: "score", tick: (value) => fixed(value, 1) }}
        height={260}
        onPoint={none}
        onPick={none}
      >
        {(frame) => (
          <>
            <line class="axis" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />
            {found && <path class="line a" d={curvePath(frame, all, found)} />}
            <path class="line b" d={curvePath(frame, all, wanted.value)} />
            {state.wanted.value.map((value, i) => (
              <circle key={i} class="spot b" cx={frame.x(pointDistance(i + 1, span.value))} cy={frame.y(value)} r={5} />
            ))}
            <Paper frame={frame} />
          </>
        )}
      </Plot>
    </Figure>
  );
}
