/** A command: what it takes, what it says about itself, and what it gives. */
import type { Arguments, OptionKinds } from "./arguments.js";

export interface Outcome {
  text: string;
  /** With --json, instead. */
  json: unknown;
  /** Exit code of a finding; 0 unless given. */
  code?: number;
  /** One line on standard error. */
  warning?: string;
}

export interface Command {
  /** The words that it takes, those that may be left out in brackets. */
  words: readonly string[];
  /** One line for the list of commands. */
  summary: string;
  /** Lines about words and options. */
  help: string;
  options: OptionKinds;
  run(args: Arguments): Promise<Outcome>;
}

/** Ctrl-C, once what was begun has been cleared away. */
export class Interrupted extends Error {}

export const COMMON_OPTIONS: OptionKinds = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } };

/** Float32 values as people write them. */
export const float32Text = (value: number): string => String(Number(value.toPrecision(9)));

export const table = (rows: readonly (readonly (number | string)[])[]): string =>
  `${rows.map((row) => row.join("\t")).join("\n")}\n`;

/** Names in files may hold anything, also what a terminal obeys; so may what a model writes. */
export const harmless = (text: string): string => text.replace(/[^\P{Cc}\t\n]/gu, "\ufffd");
