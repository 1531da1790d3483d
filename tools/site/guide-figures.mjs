// The figures of docs/guide.md, which formulas make: `node tools/site/guide-figures.mjs` writes them again.
import { writeFileSync } from "node:fs";
import { figure } from "../experiments/figure.mjs";
import { fromRoot } from "../setup/environment.mjs";

const HEAD = 64;
/** Pairs of a head, and how far the panel of each reaches. */
const PAIRS = [
  { name: "fast", pair: 0, reach: 3 },
  { name: "middle", pair: 8, reach: 30 },
  { name: "slow", pair: 16, reach: 300 },
];
const SAMPLES = 60;

function panelOf({ name, pair, reach }) {
  const theta = 10000 ** ((-2 * pair) / HEAD);
  const line = (label, of) => ({
    label,
    points: Array.from({ length: SAMPLES + 1 }, (_, i) => (i / SAMPLES) * reach)
      .map((n) => [n, of(n * theta)])
      // The parabola leaves the panel where the cosine turns.
      .filter(([, y]) => y >= -1)
      .map(([n, y]) => [n, y, y, y]),
  });
  return {
    title: `pair ${pair} (${name}), θ = ${Number(theta.toPrecision(2))}`,
    xlabel: "distance n, tokens",
    x: [0, reach],
    y: [-1, 1],
    lines: [line("cos(nθ)", Math.cos), line("1 - (nθ)²/2", (angle) => 1 - angle ** 2 / 2)],
  };
}

/** { name of the file in docs/guide: SVG } */
export const guideFigures = () => ({
  "taylor.svg": figure({
    title: "Near neighbours and Taylor's series",
    description:
      "cos(n theta) and the parabola 1 - (n theta)^2 / 2 against the distance n, for three pairs of a head of 64 channels: they part when n theta nears 1.5.",
    panels: PAIRS.map(panelOf),
  }),
});

if (process.argv[1] === import.meta.filename) {
  for (const [name, svg] of Object.entries(guideFigures())) writeFileSync(fromRoot("docs/guide", name), svg);
}
