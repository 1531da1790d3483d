/** Generation with a screen of the output matrix, with guesses, with both and with neither, which must be the same. */
import type { Decoder } from "ropewalk";
import { expect } from "vitest";

/** The result of `run` with the decoder that `open` opens, which must be the same in every way. */
export async function everyWay<T>(
  open: (options: { precision: "int8"; screen: boolean }) => Promise<Decoder>,
  run: (model: Decoder, options: { guesses: boolean }) => Promise<T>,
): Promise<T> {
  const found: T[] = [];
  for (const screen of [false, true]) {
    using model = await open({ precision: "int8", screen });
    for (const guesses of [false, true]) {
      found.push(await run(model, { guesses }));
      expect(found.at(-1), `screen: ${screen}, guesses: ${guesses}`).toEqual(found[0]);
    }
  }
  return found[0]!;
}

/** The ids of what is generated. */
export async function idsOf(generation: AsyncIterable<{ id: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of generation) ids.push(id);
  return ids;
}
