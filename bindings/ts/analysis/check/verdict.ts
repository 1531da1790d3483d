/** The verdict: a few sentences for a person, the one to act on first. */
import type { RopeOutlier, RopeProblem, RopeReading, RopeReport } from "./report.js";
import { shown, type TableVerdict } from "./table/judge.js";

interface Facts {
  refused: boolean;
  readings: readonly RopeReading[];
  refusals: RopeReport["refusals"];
  outliers: readonly RopeOutlier[];
  problems: readonly RopeProblem[];
  table: TableVerdict | undefined;
  length: RopeReport["length"];
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const named = (
  { rule, base, magnitude }: { rule: string; base: number; magnitude: number },
  other?: { magnitude: number },
) =>
  `rule "${rule}" with base ${shown(base)}${other && other.magnitude !== magnitude ? ` and attention scaling ${shown(magnitude)}` : ""}`;

const problemText = ({ key, problem, paste }: RopeProblem): string =>
  `\`${key}\`: ${problem}.${paste === undefined ? "" : ` Write ${paste}.`}`;

/** From which distance on angles differ by 0.1 radian. */
function reach(
  { firstPair, turnsAtContext, tokensUntilTenthRadian: from }: RopeOutlier["layers"][number],
  when: string,
): string {
  if (firstPair < 0)
    return "the angles agree, but attention scaling, pairing, softmax scale or the layers that rotate do not";
  if (from === Number.POSITIVE_INFINITY) return "no angle is off by 0.1 radian";
  const turns = shown(Number(turnsAtContext.toPrecision(3)));
  return `from token ${from} on an angle is off by 0.1 radian, at ${when} by up to ${turns} turns (pair ${firstPair} is the first)`;
}

function outlierText(readers: readonly string[], outlier: RopeOutlier, length: RopeReport["length"]): string {
  const { layers, when, key, change, paste } = outlier;
  const worst = layers.reduce((a, b) => (b.turnsAtContext > a.turnsAtContext ? b : a));
  const where =
    layers[0]!.layerType === undefined ? "" : ` in ${listed(layers.map(({ layerType }) => layerType!))} layers`;
  const about = when === undefined ? "" : `, in ${when}`;
  const [one, they] = readers.length === 1 ? ["differs", "it reads"] : ["differ", "they read"];
  const { others, reads } = worst;
  const end = when === undefined && length ? `${length.tokens} tokens (${length.from})` : "their end";
  const todo = `${key === undefined ? "" : `\`${key}\`: `}${change}${paste === undefined ? "" : `; write ${paste}`}`;
  return `${listed(readers)} ${one}${where}${about}: ${they} ${named(reads, others)}, ${listed(others.readers)} ${named(others, reads)}; ${reach(worst, end)}. To do: ${todo}.`;
}

/** Those that say the same are named together. */
function disagreement({ outliers, length }: Facts): string {
  const texts = new Map<string, { readers: string[]; outlier: RopeOutlier }>();
  for (const outlier of outliers) {
    const same = JSON.stringify({ ...outlier, reader: "" });
    const entry = texts.get(same) ?? { readers: [], outlier };
    entry.readers.push(outlier.reader);
    texts.set(same, entry);
  }
  return [...texts.values()].map(({ readers, outlier }) => outlierText(readers, outlier, length)).join(" ");
}

function reasons(refusals: RopeReport["refusals"]): string {
  const messages = [...new Set(refusals.map(({ message }) => message))];
  const who = (of: string) => listed(refusals.filter(({ message }) => message === of).map(({ reader }) => reader));
  const text = messages.map((each) => `${who(each)}: ${each}`).join("; ");
  return /[.?]$/.test(text) ? text : `${text}.`;
}

export function sentenceOf(facts: Facts): string {
  const { refused, readings, refusals, problems } = facts;
  const inFile = problems.map(problemText).join(" ");
  if (refused) {
    const why = `Refused: ${inFile === "" ? reasons(refusals) : `${inFile} ${reasons(refusals)}`}`;
    const others = listed([...new Set(readings.map(({ reader }) => reader))]);
    return others === "" ? why : `${why} Others read it: ${others}.`;
  }
  const own = judgement(facts);
  if (inFile === "") return own;
  if (facts.table?.code === 5) return `${own} In the file: ${inFile}`;
  return `${inFile} ${own}`;
}

function judgement(facts: Facts): string {
  const { readings, refusals, outliers, table } = facts;
  const real = refusals.filter(({ reader }) => !readings.some((each) => each.reader === reader));
  const before = readings.length === 0 || real.length === 0 ? "" : `Refused by ${reasons(real)} `;
  if (table !== undefined && (table.code > 0 || readings.length === 0)) return table.sentence;
  const after = table === undefined ? "" : ` ${table.sentence}`;
  if (outliers.length > 0) return `${after} ${disagreement(facts)} ${before}`.trim();
  const names = [...new Set(readings.map(({ reader }) => reader))];
  const what = [
    ...new Set(
      readings.map((each) => (each.layerType === undefined ? named(each) : `${each.layerType}: ${named(each)}`)),
    ),
  ];
  const who = names.length === 1 ? `${names[0]} reads` : `${listed(names)} read alike:`;
  return `${before}${who} ${what.join("; ")}.${after}`;
}
