/** dist/cli.js chat, with lines of a pipe in the place of a person. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ChatMessage, load } from "ropewalk";
import { expect, it } from "vitest";
import { runCli, testFolder } from "./command-line.js";
import { goldenUrl } from "./golden.js";

const folder = testFolder("cli-chat");
for (const part of ["model", "chatml"]) cpSync(fileURLToPath(goldenUrl(`chat/${part}`)), folder, { recursive: true });

const run = (input: string, ...args: string[]) => runCli(["chat", ...args], { input });

it("answers each line, with all that was said before", async () => {
  using model = await (await load()).decoder(folder);
  const messages: ChatMessage[] = [{ role: "system", content: "Be brief." }];
  const answers: string[] = [];
  for (const content of ["Hi!", "And?"]) {
    messages.push({ role: "user", content });
    answers.push(await model.chat(messages, { maxTokens: 6 }).text());
    messages.push({ role: "assistant", content: answers.at(-1)! });
  }
  const { code, stdout, stderr } = await run(
    "Hi!\n\nAnd?\n/exit\nmore\n",
    folder,
    "--system",
    "Be brief.",
    "--max-tokens",
    "6",
  );
  expect(code).toBe(0);
  // Control characters of the answer are shown as replacements.
  const shown = answers.map((each) => each.replace(/[^\P{Cc}\t\n]/gu, "\ufffd"));
  expect(stdout).toBe(`${shown.join("\n")}\n`);
  expect(stderr).toMatch(/^\(6 tokens, [\d.]+ a second\)\n\(6 tokens, [\d.]+ a second\)\n$/);
});

it("begins again, and says what it cannot do", async () => {
  const once = await run("Hi!\n", folder, "--max-tokens", "3");
  const again = await run("Other\n/new\nHi!\n", folder, "--max-tokens", "3");
  expect(again.stdout.endsWith(once.stdout)).toBe(true);
  expect((await run("", folder, "--workers", "2")).code).toBe(2);
  const plain = await run("", fileURLToPath(goldenUrl("decoders/llama")));
  expect(plain.code).toBe(1);
  expect(plain.stderr).toContain("no chat template");
});

it("counts each answer, which a schema may form", async () => {
  const { stdout, stderr } = await run("Hi!\n", folder, "--max-tokens", "3", "--json");
  const { turns } = JSON.parse(stdout) as { turns: { text: string }[] };
  expect(stderr).toContain(turns[0]!.text);
  expect(turns).toEqual([expect.objectContaining({ tokens: 3, finishReason: "length" })]);
  expect((await run("Hi!\n", folder, "--regex", "[0-9]{3}")).stdout).toMatch(/^\d{3}\n$/);
});
