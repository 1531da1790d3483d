// git in this repository.
import { execFileSync } from "node:child_process";
import { projectRoot } from "../setup/environment.mjs";

/** What a command of git prints; throws an Error with what it complains of. */
export const git = (...args) =>
  execFileSync("git", args, { cwd: projectRoot(), encoding: "utf8", stdio: "pipe" }).trim();
