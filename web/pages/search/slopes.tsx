import { Figure } from "../../components/figure.js";
import { useMeasuredWidth } from "../../components/plot/width.js";
import { fixed } from "../../text/format.js";
import { found, opened } from "./model.js";
import { rankingOf } from "./rank.js";

/** So many of the best of either way are drawn. */
const DRAWN = 10;
/** A text of two lines takes the higher row. */
const [ROW, HIGH_ROW] = [24, 36];
const LETTER = 6.5;
const TOP = 30;

/** Ranks with rotation, and without: twins of the same words meet in one point. */
export function Slopes() {
  const { texts, cosines } = found.value ?? {};
  return texts && cosines?.on && cosines.off ? <Chart texts={texts} on={cosines.on} off={cosines.off} /> : null;
}

interface Props {
  readonly texts: readonly string[];
  readonly on: Float32Array;
  readonly off: Float32Array;
}

function Chart({ texts, on, off }: Props) {
  const [drawing, width] = useMeasuredWidth();
  const [left, right] = [rankingOf(on), rankingOf(off)];
  const drawn = new Set([...left.order.slice(0, DRAWN), ...right.order.slice(0, DRAWN)]);
  const rows = [...drawn];
  // As wide as the longest text, within a share of the figure.
  const longest = 34 + LETTER * Math.max(...rows.map((index) => texts[index]!.length));
  const [start, end] = [Math.max(150, Math.min(longest, width * (width < 420 ? 0.7 : 0.56))), width - 34];
  const letters = Math.floor((start - 34) / LETTER);
  const row = longest > start ? HIGH_ROW : ROW;
  /** One line or two; what is longer still is cut at its end. */
  const linesOf = (text: string) => {
    if (text.length <= letters) return [text];
    const at = text.lastIndexOf(" ", letters) + 1 || letters;
    const end = at + letters;
    return [text.slice(0, at), text.length > end ? `${text.slice(at, end - 1)}…` : text.slice(at)];
  };
  // Places among those that are drawn; a tie shares the middle of its places.
  const placesOf = ({ order, ranks }: typeof left) => {
    const shown = order.filter((index) => drawn.has(index));
    return new Map(
      shown.map((index) => {
        const tied = shown.flatMap((other, place) => (ranks[other] === ranks[index] ? [place] : []));
        return [index, TOP + row * ((tied[0]! + tied.at(-1)!) / 2 + 0.5)] as const;
      }),
    );
  };
  // Names stand at the left, one a row, so ties there keep rows of their own.
  const names = new Map(
    left.order.filter((index) => drawn.has(index)).map((index, i) => [index, TOP + row * (i + 0.5)]),
  );
  const [from, to] = [placesOf(left), placesOf(right)];
  const height = TOP + row * rows.length + 6;
  return (
    <Figure
      name="search-ranks"
      title="Ranks with and without rotation"
      data={() => ({
        columns: [
          { name: "text" },
          { name: "rank with rotation" },
          { name: "cosine with rotation", write: (value) => fixed(value, 4) },
          { name: "rank without rotation" },
          { name: "cosine without rotation", write: (value) => fixed(value, 4) },
        ],
        rows: left.order.map((index) => [texts[index], left.ranks[index], on[index], right.ranks[index], off[index]]),
      })}
    >
      <svg
        class="plot slopes"
        ref={drawing}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={`Ranks of ${rows.length} texts with rotation at the left and without it at the right.`}
      >
        <text class="head" x={start} y={16} text-anchor="end">
          with rotation
        </text>
        <text class="head" x={width - 4} y={16} text-anchor="end">
          without
        </text>
        {rows.map((index) => (
          <g key={index} class={texts[index] === opened.value ? "slope chosen" : "slope"}>
            {linesOf(texts[index]!).map((line, i, { length }) => (
              <text key={i} x={start - 30} y={names.get(index)! + 4 + 14 * (i - (length - 1) / 2)} text-anchor="end">
                {line}
              </text>
            ))}
            <text class="rank" x={start - 6} y={names.get(index)! + 4} text-anchor="end">
              {left.ranks[index]}
            </text>
            <line x1={start} y1={from.get(index)} x2={end} y2={to.get(index)} />
            <circle cx={start} cy={from.get(index)} r={3} />
            <circle cx={end} cy={to.get(index)} r={3} />
            <text class="rank" x={end + 8} y={to.get(index)! + 4}>
              {right.ranks[index]}
            </text>
          </g>
        ))}
      </svg>
    </Figure>
  );
}
