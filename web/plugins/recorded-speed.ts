import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { type Contestant, type ShapeName, shapes } from "../pages/speed/speed-calls.js";

const name = "virtual:recorded-speed";

/** Rows of the benchmark's report that the Speed page measures, too. */
const rowsOf: Readonly<Partial<Record<Contestant, string>>> = {
  nested: "js-nested",
  "heads inside": "js-heads-inside",
  "by head": "js-by-head",
  simd: "plain-c",
  ropewalk: "ropewalk",
  limit: "scale",
};

interface Row {
  readonly key: string;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
}
interface Report {
  readonly machine: { readonly processor: string; readonly chromium: string; readonly date: string };
  readonly groups: ReadonlyArray<{
    readonly suite: string;
    readonly host: string;
    readonly title: string;
    readonly rows: readonly Row[];
  }>;
}

/** Milliseconds of the report as microseconds, in as many digits as it has. */
const microseconds = (value: number) => Number((value * 1000).toPrecision(5));

/** The rotations that docs/performance.md reports of Chromium, which the Speed page shows until it has its own. */
export function recordedSpeed(report: string): Plugin {
  return {
    name: "recorded-speed",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      this.addWatchFile(report);
      const { machine, groups } = JSON.parse(readFileSync(report, "utf8")) as Report;
      const measured = (shape: ShapeName, pairing: string) => {
        const { batch, sequence, heads, headDim } = shapes[shape];
        const size = `[${batch},${sequence},${heads},${headDim}]`;
        const group = groups.find(
          ({ suite, host, title }) =>
            suite === "rotation" && host === "chromium" && title.startsWith(`${pairing},`) && title.endsWith(size),
        );
        if (!group) throw new Error(`${report} has no rotation of ${size}, ${pairing}, in Chromium`);
        return Object.entries(rowsOf).map(([contestant, key]) => {
          const row = group.rows.find((each) => each.key === key);
          if (!row) throw new Error(`${report} has no row ${key} for ${size}, ${pairing}, in Chromium`);
          const { q1, median, q3 } = row;
          return { name: contestant, q1: microseconds(q1), median: microseconds(median), q3: microseconds(q3) };
        });
      };
      const times = Object.fromEntries(
        (Object.keys(shapes) as ShapeName[]).map((shape) => [
          shape,
          { half: measured(shape, "half"), interleaved: measured(shape, "interleaved") },
        ]),
      );
      const { processor, chromium, date } = machine;
      return `export default ${JSON.stringify({ processor, browser: `Chromium ${chromium.split(".")[0]}`, date, times })};`;
    },
  };
}
