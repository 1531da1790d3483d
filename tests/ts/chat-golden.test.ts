/** Chat templates beside Transformers: tests/golden/chat, whose README says how its values were made. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ChatMessage, type ChatTemplateOptions, type FileSource, load } from "ropewalk";
import { describe, expect, test } from "vitest";
import { goldenPath } from "./golden.js";

const root = goldenPath("chat/");
const folders = readdirSync(root).filter((name) => existsSync(join(root, name, "cases.json")));

interface Case {
  messages: ChatMessage[];
  options: ChatTemplateOptions;
  text?: string;
  ids?: number[];
  safeIds?: number[];
  error?: boolean;
  said?: string;
}

/** The files of a folder by name, with the model that all these tokenizers fit. */
function filesOf(folder: string): Record<string, FileSource> {
  const inside = (path: string): [string, FileSource][] =>
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(path, name)).isFile())
      .map((name) => [name, new Uint8Array(readFileSync(join(path, name)))]);
  return Object.fromEntries([...inside(join(root, "model")), ...inside(join(root, folder))]);
}

const ropewalk = await load();

describe.each(folders)("%s", async (folder) => {
  const model = await ropewalk.decoder(filesOf(folder));
  const { cases } = JSON.parse(readFileSync(join(root, folder, "cases.json"), "utf8")) as { cases: Case[] };

  test.each(cases.map((each, i) => [i, each] as const))(
    "case %i",
    (_, { messages, options, text, ids, safeIds, error, said }) => {
      expect(model.chats).toBe(true);
      if (error === true) {
        const details = expect.objectContaining({ function: "renderChat" });
        expect(() => model.renderChat(messages, options)).toThrow(details);
        // Words of raise_exception reach the caller.
        const raised = /^TemplateError: (.*)/s.exec(said ?? "");
        if (raised !== null) expect(() => model.renderChat(messages, options)).toThrow(raised[1]);
        return;
      }
      expect(model.renderChat(messages, options)).toBe(text);
      expect(model.encodeChat(messages, { ...options, trustContent: true })).toEqual(ids);
      expect(model.encodeChat(messages, options)).toEqual(safeIds);
    },
  );
});
