// Names that a command takes.
import { SetUpError } from "../setup/progress.mjs";

/** Those of `names` that are wanted, in their order: all where none is. `what` they name, for the error about another. */
export function chosen(what, names, wanted) {
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new SetUpError(`There is no ${what} ${unknown}: choose among ${names.join(", ")}.`);
  return names.filter((name) => wanted.length === 0 || wanted.includes(name));
}
