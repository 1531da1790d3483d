/** Text of tokens as they come: whole characters, up to a stop string. */
import { describe, expect, it } from "vitest";
import { TextStream } from "../../bindings/ts/model/decoder/text-stream.js";
import type { Tokenizer } from "../../bindings/ts/model/text/tokenizer.js";

describe("TextStream", () => {
  /** Tokens are bytes of UTF-8. */
  const bytes: Tokenizer = {
    maskId: undefined,
    special: [],
    unknownId: undefined,
    idOf: () => undefined,
    encodeBetween: () => [],
    pieces: () => undefined,
    loadBeginnings: async () => {},
    loadOffsets: async () => {},
    addOffsets: () => {},
    maskToken: "",
    encode: () => {
      throw new Error("not needed");
    },
    decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids)),
  };
  const write = (text: string, stop: string[] = []) => {
    const stream = new TextStream(bytes, [], stop);
    const parts: string[] = [];
    for (const byte of new TextEncoder().encode(text)) {
      parts.push(stream.push(byte));
      if (stream.stopped) break;
    }
    return { parts, rest: stream.end(), stopped: stream.stopped };
  };

  it("never splits a character", () => {
    const { parts } = write("aé🙂b");
    expect(parts).toEqual(["a", "", "é", "", "", "", "🙂", "b"]);
  });

  it("holds back what may be a stop string, and gives it where it is none", () => {
    expect(write("one two", ["two!"])).toMatchObject({ rest: "two", stopped: false });
    expect(write("one twins", ["two"]).parts.join("")).toBe("one twins");
    const { parts, stopped } = write("say END now", ["END", "now"]);
    expect([parts.join(""), stopped]).toEqual(["say ", true]);
  });
});
