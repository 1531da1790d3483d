/** The documents of the repository, and the programs in them that a reader may copy. */
import { readdirSync } from "node:fs";
import { fromRoot, readText } from "../ts/files.js";

interface Block {
  /** The word behind the opening fence: "js", "ts", "sh", "json", "text", ... */
  language: string;
  source: string;
}

export interface Example {
  /** "js" is plain JavaScript, "ts" is TypeScript, "sh" a command of the package's command line tool, "html" a page, "jsx" a component of React. */
  language: "js" | "ts" | "sh" | "html" | "jsx";
  source: string;
  /** The document's own statement of what the program prints: the next block, if that is "text". */
  prints: string | undefined;
  /** The config.json of a command: the block of JSON before it. */
  config: string | undefined;
}

export const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "conformance/README.md",
  ...readdirSync(fromRoot("docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

function blocksOf(file: string): Block[] {
  const text = readText(file);
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(([, language, source]) => ({
    language: language!,
    source: source!,
  }));
}

/** Commands of which the document shows what they print. */
const isShownCommand = ({ language, source }: Block, next: Block | undefined) =>
  language === "sh" && source.startsWith("npx ropewalk ") && next?.language === "text";

export function examplesOf(file: string): Example[] {
  const blocks = blocksOf(file);
  return blocks.flatMap((block, i): Example[] => {
    const [before, next] = [blocks[i - 1], blocks[i + 1]];
    if (!["js", "ts", "html", "jsx"].includes(block.language) && !isShownCommand(block, next)) return [];
    return [
      {
        language: block.language as Example["language"],
        source: block.source,
        prints: next?.language === "text" ? next.source : undefined,
        config: before?.language === "json" ? before.source : undefined,
      },
    ];
  });
}
