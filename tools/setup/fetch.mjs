// Fetching over the network: repositories of git, and the error of a fetch that failed.
import { lastWords, run, which } from "./commands.mjs";
import { SetUpError } from "./progress.mjs";

/** A mirror that does not answer, as opposed to one that lacks something. */
export function looksOffline(output) {
  return /(Could not|Cannot|Couldn't|Unable to) (resolve|connect|initiate)|Temporary failure|Name or service|timed out|unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/i.test(
    output,
  );
}

/** Says what was tried and what to do about it. */
export function fetchError(what, output) {
  if (looksOffline(output)) {
    return new SetUpError(`${what} could not be fetched because the network cannot be reached: connect and run again.`);
  }
  return new SetUpError(`${what} could not be fetched: ${lastWords(output)}`);
}

/** Clones a tag without its history into `folder`, which does not exist yet. */
export async function cloneTag(what, { repository, tag }, folder, onLine) {
  if (!which("git")) throw new SetUpError(`Fetching ${what} needs git: install git and run again.`);
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  const clone = ["clone", "--quiet", "--depth", "1", "--branch", tag, repository, folder];
  const cloned = await run("git", clone, { env, onLine });
  if (cloned.code !== 0) throw fetchError(what, cloned.output);
}
