import type { TaskName } from "ropewalk";

/** A task in the few words that a list has room for; its whole sentence is the library's. */
export const taskNames: Readonly<Record<TaskName, string>> = {
  order: "order: which of two letters comes first?",
  copy: "copy: the letter a marker points at",
  period: "period: a sequence that repeats",
  induction: "induction: what followed A before?",
  dyck: "dyck: which bracket closes?",
  needle: "needle: the letter that followed this key",
  markov: "markov: each letter from the last two",
  english: "english: hidden words of small texts",
};
