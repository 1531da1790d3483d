import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import { fixed, scoreText, whole } from "../../text/format.js";
import { parts, previewAt, shownAt, span, step } from "./model.js";
import { state } from "./state.js";

/** a', b', their envelope, and the score that they make. */
export function Parts() {
  const found = parts.value?.found;
  const most = Math.max(0.05, ...(found?.envelope ?? [1])) * 1.05;
  const at = Math.round(shownAt.value);
  const index = at / step.value;
  const now = found && {
    score: found.score[index] ?? 0,
    inPhase: found.inPhase[index] ?? 0,
    quadrature: found.quadrature[index] ?? 0,
    envelope: found.envelope[index] ?? 0,
  };
  return (
    <Figure
      name="receptive-field-score"
      title="Score and its parts"
      data={() => ({
        columns: ["distance", "a*", "a′", "b′", "envelope"].map((name, i) => ({ name, write: i ? scoreText : String })),
        rows: Array.from(found?.distances ?? [], (n, i) => [
          n,
          found?.score[i],
          found?.inPhase[i],
          found?.quadrature[i],
          found?.envelope[i],
        ]),
      })}
      below={
        <Cursor
          id="field-at"
          label="distance"
          value={state.at.value}
          min={0}
          max={span.value}
          step={1}
          says={`distance ${at}: score ${scoreText(now?.score ?? 0)}, a′ ${scoreText(now?.inPhase ?? 0)}, b′ ${scoreText(now?.quadrature ?? 0)}`}
          onMove={(value) => {
            previewAt.value = undefined;
            state.at.value = value;
          }}
        >
          <p>
            at <strong>{whole(at)}</strong>: a* <strong data-part="score">{now ? scoreText(now.score) : "…"}</strong>,
            a′ <strong class="a">{now ? scoreText(now.inPhase) : "…"}</strong>, b′{" "}
            <strong class="b">{now ? scoreText(now.quadrature) : "…"}</strong>, envelope{" "}
            <strong>{now ? scoreText(now.envelope) : "…"}</strong>
          </p>
        </Cursor>
      }
    >
      <Plot
        label={`Score from distance 0 to ${span.value}: ${scoreText(found?.score[0] ?? 0)} at 0, ${scoreText(found?.score.at(-1) ?? 0)} at ${span.value}, between its envelope ${scoreText(found?.envelope.at(-1) ?? 0)} and its negative. The table below holds the numbers.`}
        x={{ scale: linear(0, span.value, 8), name: "distance", tick: whole }}
        y={{ scale: linear(-most, most, 6), name: "score", tick: (value) => fixed(value, most < 0.5 ? 2 : 1) }}
        height={260}
        main
        onPoint={(x) => {
          previewAt.value = x;
        }}
        onPick={(x) => {
          state.at.value = Math.round(x);
        }}
      >
        {(frame) => (
          <>
            <line class="axis" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />
            <line class="cursor-line" x1={frame.x(at)} x2={frame.x(at)} y1={frame.top} y2={frame.bottom} />
            {found && (
              <>
                <path class="line faint" d={curvePath(frame, found.distances, found.envelope)} />
                <path
                  class="line faint"
                  d={curvePath(
                    frame,
                    found.distances,
                    found.envelope.map((value) => -value),
                  )}
                />
                <path class="line b" d={curvePath(frame, found.distances, found.quadrature)} />
                <path class="line a under" d={curvePath(frame, found.distances, found.inPhase)} />
                <path class="line strong" d={curvePath(frame, found.distances, found.score)} />
              </>
            )}
            {now && <circle class="spot" cx={frame.x(at)} cy={frame.y(now.score)} r={4.5} />}
          </>
        )}
      </Plot>
    </Figure>
  );
}
