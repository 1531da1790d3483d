/** The C++ that pages show for options of a rope. */
import { expect, it } from "vitest";
import { cppOptions } from "../../web/code/options.js";

it("writes axes as C++ takes them: words, or the axis of each pair as a vector", () => {
  expect(cppOptions({ headDim: 32, pairing: "half", axes: { sections: [6, 5, 5], order: "interleaved" } })).toBe(`{
    .head_dim = 32,
    .pairing = ropewalk::Pairing::half,
    .axes = ropewalk::Axes{.sections = {6, 5, 5}, .order = ropewalk::Axes::Order::interleaved},
}`);
  expect(cppOptions({ headDim: 8, axes: { order: [1, 2, 1, 0] } })).toContain(
    ".axes = ropewalk::Axes{.order = std::vector<std::size_t>{1, 2, 1, 0}},",
  );
  expect(
    cppOptions({
      headDim: 16,
      pairing: "half",
      axes: { sections: [4, 4], pairWithin: "section", restartFrequencies: true },
      queryScale: { scale: 0.1, length: 16384, offset: 1 },
    }),
  ).toContain(`
    .axes = ropewalk::Axes{.sections = {4, 4}, .pair_within = ropewalk::Axes::PairWithin::section, .restart_frequencies = true},
    .query_scale = ropewalk::QueryScale{.scale = 0.1, .length = 16384, .offset = 1},
`);
});
