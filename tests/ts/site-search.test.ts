/** The search of our own documentation: questions as people write them, and the page that answers each. */
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Finder } from "../../bindings/ts/search/finder.js";
import { cli, testFolder } from "./command-line.js";
import { filesIn, fromRoot } from "./files.js";

const folder = testFolder("site-search");
/** Several pages where each of them answers. */
const QUESTIONS: readonly [question: string, ...pages: string[]][] = [
  ["how do I add a search field to my static site", "applications"],
  ["how do I load a GGUF file", "decoders", "encoders"],
  ["how can I fine-tune a model on my own files", "training"],
  ["which model types are read", "model-types"],
  ["how do I use it from Python", "c-and-python"],
  ["how do I make weights of 8 bits", "encoders", "decoders", "command-line"],
  ["does it work in Safari", "hosts", "README", "trust"],
  ["how do I embed in a Cloudflare Worker", "recipes"],
  ["how do I rerank after a search", "recipes", "encoders"],
  ["why do two libraries read my config.json differently", "checker"],
  ["what are the exit codes of the checker", "checker"],
  ["how do I get native code in Node", "node-native"],
  ["how fast is it compared with transformers.js", "performance", "encoders"],
  ["how do I get JSON that follows a schema", "decoders", "applications"],
  ["what do I have to do for threads", "encoders"],
  ["what is the rule of YaRN", "guide"],
  ["how can I link it with CMake", "cpp"],
  ["how do I embed a corpus with Ray", "at-scale"],
  ["how do I take names out of a text", "recipes"],
  ["how do I save and restore a cache", "decoders"],
  ["what was fuzzed and how", "trust"],
  ["how are positions of pictures and video given", "vision", "guide"],
  ["which published checkpoints were compared", "published", "encoders"],
  ["how do I write a page for a conversation", "recipes"],
  ["what does it need of a content security policy", "applications", "hosts", "README", "guide"],
  ["is there an example for LangChain", "encoders"],
];

it("finds the page that answers a question first", async () => {
  for (const name of [...filesIn("docs", /\.md$/), "README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
    copyFileSync(fromRoot(name), join(folder, name.replace("docs/", "")));
  execFileSync(process.execPath, [cli, "index", folder, "--words"]);
  const saved = readFileSync(join(folder, "search.json"), "utf8");
  const index = new URL(`data:application/json,${encodeURIComponent(saved)}`);
  const { signal } = new AbortController();
  const finder = await Finder.fetch(index, signal, () => {});
  const wrong: string[] = [];
  for (const [question, ...pages] of QUESTIONS) {
    const { found } = await finder.find(question, 3, signal);
    const [first, ...others] = found.map(({ passage: { address } }) => address);
    if (!pages.includes(first?.replace(/\.md.*/, "") ?? "")) wrong.push(`${question}: ${first}, ${others.join(", ")}`);
  }
  // 15 of 26 were right while all words of a question counted, and 22 without those that make it a question. Documents change.
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(6);
});
