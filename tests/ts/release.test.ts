/** `npm run release:check` on this checkout, apart from building the modules a second time. */
import { expect, it } from "vitest";
import { quickChecks } from "../../tools/release/check.mjs";

const checks = quickChecks();

it.each(checks.filter(({ publisher }) => !publisher))("$title", ({ problems }) => {
  expect(problems).toEqual([]);
});

it("the publisher is asked for what the project cannot know", () => {
  const { problems } = checks.find(({ title }) => title === "What only the publisher knows")!;
  for (const what of ["package.json: `repository`", "action.yml: the owner in OWNER/ropewalk"])
    expect(problems).toContain(what);
});
