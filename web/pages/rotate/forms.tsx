import { Figure } from "../../components/figure.js";
import { Heat } from "../../components/heat.js";
import { fixed } from "../../text/format.js";
import { headDim, matrix, queryPosition, scene, shownPair } from "./model.js";
import { state } from "./state.js";

const complex = ([re, im]: readonly [number, number]) =>
  `${fixed(re, 3)} ${im < 0 ? "−" : "+"} ${fixed(Math.abs(im), 3)}i`;
const share = (value: number) => 0.5 + value / 2;

function Matrix({ rows, tone }: { rows: readonly (readonly string[])[]; tone?: "q" }) {
  return (
    <table class={`block ${tone ?? ""}`}>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((value, j) => (
              <td key={j}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The same rotation written as a product of complex numbers, and as a matrix. */
export function Forms() {
  const pair = scene.value?.pairs[shownPair.value];
  const found = matrix.value;
  const d = headDim.value;
  const m = fixed(queryPosition.value, 2).replace(/\.00$/, "");
  if (!pair || !found) return null;
  const [a, b] = pair.channels;
  const at = (row: number, column: number) => fixed(found[row * d + column]!, 3);
  const turn: readonly [number, number] = [found[a * d + a]!, found[b * d + a]!];
  return (
    <section class="card rotate-forms" aria-labelledby="forms-title">
      <h3 id="forms-title">The same rotation, four ways</h3>
      <div class="forms">
        <div>
          <h4>Two channels as a complex number</h4>
          <p class="hint">
            Channel {a} is the real part, channel {b} the imaginary one. Multiplying by e<sup>imθ</sup> rotates the
            pair. Meta’s Llama computes it this way, in interleaved pairs.
          </p>
          <dl class="complex">
            <dt class="q">
              q<sub>{pair.index}</sub>
            </dt>
            <dd>{complex(pair.q)}</dd>
            <dt>
              e<sup>imθ</sup>, m = {m}
            </dt>
            <dd>{complex(turn)}</dd>
            <dt class="q">their product</dt>
            <dd id="rotate-product">{complex(pair.qTurned)}</dd>
            <dt class="k">
              k<sub>{pair.index}</sub> e<sup>inθ</sup>
            </dt>
            <dd>{complex(pair.kTurned)}</dd>
          </dl>
        </div>
        <div>
          <h4>As a 2 × 2 matrix</h4>
          <p class="hint">cos and sin of mθ: the rows and columns of these two channels.</p>
          <div class="product">
            <Matrix rows={[a, b].map((row) => [at(row, a), at(row, b)])} />
            <Matrix rows={pair.q.map((value) => [fixed(value, 3)])} tone="q" />
            <span>=</span>
            <Matrix rows={pair.qTurned.map((value) => [fixed(value, 3)])} tone="q" />
          </div>
        </div>
        <div>
          <h4>As programs do it, without a matrix</h4>
          <p class="hint">
            q · cos + {state.pairing.value === "half" ? "rotate_half" : "rotate_every_two"}(q) · sin, where the function
            puts −q<sub>{b}</sub> into channel {a} and q<sub>{a}</sub> into channel {b}.
          </p>
          <dl class="complex" id="rotate-sparse">
            {pair.channels.map((channel, i) => {
              const [own, other] = [pair.q[i]!, i ? pair.q[0] : -pair.q[1]];
              return (
                <>
                  <dt>channel {channel}</dt>
                  <dd>
                    {fixed(own, 3)} · {fixed(turn[0], 3)} + {fixed(other, 3)} · {fixed(turn[1], 3)} ={" "}
                    <span class="q">{fixed(own * turn[0] + other * turn[1], 3)}</span>
                  </dd>
                </>
              );
            })}
          </dl>
        </div>
        <div>
          <h4>
            The whole head: {d} × {d}
          </h4>
          <p class="hint">
            {state.pairing.value === "interleaved"
              ? "2 × 2 blocks on the diagonal, zeros elsewhere."
              : "The same blocks with rows and columns half a head apart, zeros elsewhere."}
          </p>
          <Figure
            name="rotate-matrix"
            title={`Rotation matrix at position ${m}`}
            data={() => ({
              columns: [
                { name: "row" },
                ...Array.from({ length: d }, (_, c) => ({
                  name: String(c),
                  write: (value: number) => fixed(value, 3),
                })),
              ],
              rows: Array.from({ length: d }, (_, row) => [String(row), ...found.subarray(row * d, (row + 1) * d)]),
            })}
          >
            <div
              class="matrix"
              role="img"
              aria-label={`Matrix of ${d} rows and columns: ${d / 2} blocks of cos and sin, ${state.pairing.value}; pair ${pair.index} in rows ${a} and ${b}. The table below holds the numbers.`}
            >
              <Heat values={found} rows={d} columns={d} colours="signed" share={share} />
              <svg viewBox={`0 0 ${d} ${d}`} aria-hidden="true">
                {[a, b].flatMap((row) =>
                  [a, b].map((column) => <rect key={`${row},${column}`} x={column} y={row} width={1} height={1} />),
                )}
              </svg>
            </div>
          </Figure>
        </div>
      </div>
    </section>
  );
}
