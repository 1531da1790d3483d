/** One sentence for a person. */
import type { RopeDifference, RopeReading, RopeReport } from "./report.js";
import { shown, type TableVerdict } from "./table/judge.js";

interface Facts {
  readings: readonly RopeReading[];
  refusals: RopeReport["refusals"];
  differences: readonly RopeDifference[];
  table: TableVerdict | undefined;
  context: number | undefined;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const named = ({ rule, base }: RopeReading): string => `rule "${rule}" with base ${shown(base)}`;

/** Readers that read alike, in the layers of one type. */
function groupsOf(readings: readonly RopeReading[], differences: readonly RopeDifference[]): RopeReading[][] {
  const groups: RopeReading[][] = [];
  for (const reading of readings) {
    const alike = groups.find(
      ([first]) =>
        !differences.some(
          ({ a, b, layerType }) =>
            layerType === reading.layerType &&
            ((a === first!.reader && b === reading.reader) || (b === first!.reader && a === reading.reader)),
        ),
    );
    if (alike) alike.push(reading);
    else groups.push([reading]);
  }
  return groups;
}

/** From which distance on angles differ by 0.1 radian. */
function reach(tokens: number): string {
  if (tokens === Number.POSITIVE_INFINITY) return "and never by 0.1 radian";
  return `and by 0.1 radian from a distance of ${tokens} ${tokens === 1 ? "token" : "tokens"} on`;
}

function disagreement(
  readings: readonly RopeReading[],
  differences: readonly RopeDifference[],
  context: number,
): string {
  const worst = differences.reduce((a, b) => (b.turnsAtContext > a.turnsAtContext ? b : a));
  const layer = worst.layerType === undefined ? "" : ` in ${worst.layerType} layers`;
  const groups = groupsOf(
    readings.filter(({ layerType }) => layerType === worst.layerType),
    differences,
  );
  const parts = groups.map(
    (group) => `${listed(group.map(({ reader }) => reader))} ${group.length > 1 ? "see" : "sees"} ${named(group[0]!)}`,
  );
  const harm =
    worst.turnsAtContext === 0
      ? "the angles agree, but magnitude, pairing, softmax scale or the layers that rotate do not"
      : `at ${context} tokens angles differ by up to ${shown(Number(worst.turnsAtContext.toPrecision(3)))} turns, ${reach(worst.tokensUntilTenthRadian)}`;
  return `Readers disagree${layer}: ${parts.join("; ")}; ${harm}.`;
}

export function sentenceOf({ readings, refusals, differences, table, context }: Facts): string {
  if (table !== undefined && (table.code > 0 || readings.length === 0)) return table.sentence;
  const after = table === undefined ? "" : ` ${table.sentence}`;
  if (differences.length > 0) return disagreement(readings, differences, context ?? 8192) + after;
  const names = [...new Set(readings.map(({ reader }) => reader))];
  if (names.length === 0)
    return `No reader takes the configuration: ${refusals.map(({ reader, message }) => `${reader}: ${message}`).join("; ")}.`;
  const what = [
    ...new Set(
      readings.map((each) => (each.layerType === undefined ? named(each) : `${each.layerType}: ${named(each)}`)),
    ),
  ];
  const who = names.length === 1 ? `${names[0]} reads` : `${listed(names)} read alike:`;
  return `${who} ${what.join("; ")}.${after}`;
}
