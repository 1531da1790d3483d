// Line charts as SVG text: bands from least to most, medians as lines. Colours that read on GitHub's light and dark
// pages; each line also has its own dashes, so that colour is not all that tells them apart.
import { escaped } from "../markdown.mjs";

const COLOURS = ["#2f81f7", "#d1680f", "#2da44e", "#a475f9", "#e5534b", "#1b9e9e", "#b08800", "#d6409f", "#768390"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4", "1 4", "14 3 3 3", "5 2"];
const TEXT = 12;
const PLOT = { width: 340, height: 220, left: 48, right: 12, top: 34, bottom: 42 };
const LEGEND_ROW = 20;
const LEGEND_COLUMN = 190;

/** The colour and the dashes of the line of an index. */
const colourOf = (index) => COLOURS[index % COLOURS.length];
function dashesOf(index) {
  const dashes = DASHES[index % DASHES.length];
  return dashes && ` stroke-dasharray="${dashes}"`;
}
const at = (value) => Number(value.toFixed(1));

function niceStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((m) => m * power).find((step) => step >= rough * 0.999);
}

function ticks([low, high], count) {
  const step = niceStep(high - low, count);
  const out = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n)
    out.push(Number((n * step).toPrecision(6)));
  return out;
}

function axes(panel, x, y) {
  const { left, top, width, height } = PLOT;
  const parts = [];
  for (const tick of ticks(panel.y, 5)) {
    const py = at(y(tick));
    parts.push(`<path class="grid" d="M${left} ${py}H${left + width}"/>`);
    parts.push(`<text class="small" x="${left - 6}" y="${py + 4}" text-anchor="end">${tick}</text>`);
  }
  const xticks = panel.xticks ?? ticks(panel.x, 6).map((value) => ({ value, text: String(value) }));
  for (const { value, text } of xticks) {
    const px = at(x(value));
    parts.push(`<path class="axis" d="M${px} ${top + height}v4"/>`);
    parts.push(`<text class="small" x="${px}" y="${top + height + 17}" text-anchor="middle">${escaped(text)}</text>`);
  }
  parts.push(`<path class="axis" d="M${left} ${top}V${top + height}H${left + width}"/>`);
  parts.push(`<text class="head" x="${left}" y="${top - 14}">${escaped(panel.title)}</text>`);
  parts.push(
    `<text class="small" x="${left + width / 2}" y="${top + height + 34}" text-anchor="middle">${escaped(panel.xlabel)}</text>`,
  );
  if (panel.level) {
    const py = at(y(panel.level.value));
    const below = py + 14 < top + height - 2 ? 14 : -5;
    parts.push(`<path class="level" d="M${left} ${py}H${left + width}"/>`);
    parts.push(`<text class="small" x="${left + 4}" y="${py + below}">${escaped(panel.level.text)}</text>`);
  }
  return parts;
}

/** A line of points [x, median, least, most]. */
function line(points, x, y, panel, index, dots) {
  const clamp = (value) => Math.min(panel.y[1], Math.max(panel.y[0], value));
  const place = (px, value) => `${at(x(px))} ${at(y(clamp(value)))}`;
  const colour = colourOf(index);
  const up = points.map(([px, , , most]) => place(px, most));
  const down = points.toReversed().map(([px, , least]) => place(px, least));
  const parts = [
    `<path d="M${up.join("L")}L${down.join("L")}Z" fill="${colour}" fill-opacity="0.14"/>`,
    `<path d="M${points.map(([px, middle]) => place(px, middle)).join("L")}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashesOf(index)}/>`,
  ];
  if (dots) {
    for (const [px, middle] of points) {
      const [cx, cy] = place(px, middle).split(" ");
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`);
    }
  }
  return parts;
}

/** From where something began to a dot where it ended: [x0, y0, x1, y1]. */
function segments(list, x, y, index) {
  const colour = colourOf(index);
  return list.flatMap(([x0, y0, x1, y1]) => [
    `<path d="M${at(x(x0))} ${at(y(y0))}L${at(x(x1))} ${at(y(y1))}" stroke="${colour}" stroke-opacity="0.35"/>`,
    `<circle cx="${at(x(x1))}" cy="${at(y(y1))}" r="2.5" fill="${colour}"/>`,
  ]);
}

/**
 * panels: [{ title, xlabel, x: [low, high], y: [low, high], xticks?, level?, dots?, lines: [{ label, points, segments? }] }].
 * Lines of one label have one colour in every panel.
 */
export function figure({ title, description, panels, columns = Math.min(panels.length, 3) }) {
  const labels = [...new Set(panels.flatMap((panel) => panel.lines.map((each) => each.label)))];
  const cell = {
    width: PLOT.left + PLOT.width + PLOT.right,
    height: PLOT.top + PLOT.height + PLOT.bottom,
  };
  const width = columns * cell.width;
  const rows = Math.ceil(panels.length / columns);
  const perRow = Math.max(1, Math.floor((width - PLOT.left) / LEGEND_COLUMN));
  const legend = Math.ceil(labels.length / perRow) * LEGEND_ROW + 12;
  const height = rows * cell.height + legend;
  const parts = [];
  panels.forEach((panel, i) => {
    const x = (value) => PLOT.left + ((value - panel.x[0]) / (panel.x[1] - panel.x[0])) * PLOT.width;
    const y = (value) => PLOT.top + (1 - (value - panel.y[0]) / (panel.y[1] - panel.y[0])) * PLOT.height;
    parts.push(`<g transform="translate(${(i % columns) * cell.width} ${Math.floor(i / columns) * cell.height})">`);
    parts.push(...axes(panel, x, y));
    for (const each of panel.lines) {
      const index = labels.indexOf(each.label);
      if (each.points.length > 0) parts.push(...line(each.points, x, y, panel, index, panel.dots));
      parts.push(...segments(each.segments ?? [], x, y, index));
    }
    parts.push("</g>");
  });
  labels.forEach((label, i) => {
    const px = PLOT.left + (i % perRow) * LEGEND_COLUMN;
    const py = rows * cell.height + 10 + Math.floor(i / perRow) * LEGEND_ROW;
    parts.push(
      `<path d="M${px} ${py}h28" stroke="${colourOf(i)}" stroke-width="3"${dashesOf(i)}/>`,
      `<text x="${px + 36}" y="${py + 4}">${escaped(label)}</text>`,
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="${TEXT}">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(description)}</desc>
<style>text{fill:#57606a}.head{font-weight:600}.small{font-size:11px}.axis{stroke:#8b949e;fill:none}.grid{stroke:#8b949e;stroke-opacity:.2}.level{stroke:#8b949e;stroke-dasharray:3 3}@media (prefers-color-scheme:dark){text{fill:#adbac7}}</style>
${parts.join("\n")}
</svg>
`;
}
