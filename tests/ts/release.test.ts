/** `npm run release:check` on this checkout, apart from building the modules a second time. */
import { expect, it } from "vitest";

const path = new URL("../../tools/release/check.mjs", import.meta.url).href;
const { quickChecks } = (await import(/* @vite-ignore */ path)) as {
  quickChecks(): { title: string; problems: string[]; publisher?: boolean }[];
};

const checks = quickChecks();

it.each(checks.filter(({ publisher }) => !publisher))("$title", ({ problems }) => {
  expect(problems).toEqual([]);
});

it("the publisher is asked for what the project cannot know", () => {
  const { problems } = checks.find(({ title }) => title === "What only the publisher knows")!;
  for (const what of ["package.json: `repository`", "action.yml: the owner in OWNER/ropewalk"])
    expect(problems).toContain(what);
});
