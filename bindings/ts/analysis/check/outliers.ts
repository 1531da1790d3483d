/** Readers that differ from the others: in which layers, from which token on, and what to change. */
import { changeOf } from "./changes.js";
import type { Model } from "./model.js";
import type { Reader, RopeDifference, RopeOutlier, RopeReading } from "./report.js";

/** Readers that read the layers of one type alike, the largest group first. */
export function groupsOf(readings: readonly RopeReading[], differences: readonly RopeDifference[]): RopeReading[][] {
  const groups: RopeReading[][] = [];
  for (const reading of readings) {
    const apart = ({ a, b, layerType }: RopeDifference, other: RopeReading) =>
      layerType === reading.layerType &&
      ((a === other.reader && b === reading.reader) || (b === other.reader && a === reading.reader));
    const alike = groups.find(([first]) => !differences.some((each) => apart(each, first!)));
    if (alike) alike.push(reading);
    else groups.push([reading]);
  }
  // Code that the checkpoint brings along is what it was trained with; else more libraries weigh more.
  const weight = (group: RopeReading[]) =>
    group.length + (group.some(({ reader }) => reader.startsWith("remote-")) ? 99 : 0);
  return groups.sort((a, b) => weight(b) - weight(a));
}

/** The base that dynamic NTK raises is the only difference that it makes. */
function read({ rule, base, magnitude, frequencies }: RopeReading) {
  const raised = rule === "dynamic" && frequencies.length > 1 ? frequencies[1]! ** -frequencies.length : base;
  return { rule, base: Math.abs(raised - base) > 1e-6 * base ? raised : base, magnitude };
}

export function outliersOf(
  model: Model,
  readings: readonly RopeReading[],
  differences: readonly RopeDifference[],
): RopeOutlier[] {
  const found = new Map<Reader, RopeOutlier>();
  for (const layerType of new Set(readings.map((each) => each.layerType))) {
    const [most, ...others] = groupsOf(
      readings.filter((each) => each.layerType === layerType),
      differences,
    );
    for (const reading of others.flat()) {
      const { reader } = reading;
      const difference = differences.find(
        (each) =>
          each.layerType === layerType &&
          ((each.a === reader && each.b === most![0]!.reader) || (each.b === reader && each.a === most![0]!.reader)),
      );
      if (difference === undefined) continue;
      const { firstPair, tokensUntilTenthRadian, turnsAtContext, when } = difference;
      const outlier = found.get(reader) ?? {
        reader,
        layers: [],
        ...(when && { when }),
        ...changeOf(model, reader, most![0]!.reader),
      };
      outlier.layers.push({
        ...(layerType === undefined ? {} : { layerType }),
        reads: read(reading),
        others: { ...read(most![0]!), readers: most!.map((each) => each.reader) },
        firstPair,
        turnsAtContext,
        tokensUntilTenthRadian,
      });
      found.set(reader, outlier);
    }
  }
  return [...found.values()];
}
