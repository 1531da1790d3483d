// git in this repository.
import { execFileSync } from "node:child_process";
import { projectRoot } from "../setup/environment.mjs";

/** The output of a git command. Throws an Error with git's own message if it fails. */
export const git = (...args) =>
  execFileSync("git", args, { cwd: projectRoot(), encoding: "utf8", stdio: "pipe" }).trim();
