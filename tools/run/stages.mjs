// Running a stage of a build or a test: a heading, how long it took, and the whole output when it fails.
import { join } from "node:path";
import { run } from "../setup/commands.mjs";
import { projectRoot } from "../setup/environment.mjs";
import { say, seconds } from "../setup/progress.mjs";

/** A stage that failed; its output has been printed already. */
export class StageFailure extends Error {
  name = "StageFailure";
}

const HEARTBEAT_SECONDS = 20;

/** A program of node_modules. */
export function npmProgram(name) {
  return join(projectRoot(), "node_modules", ".bin", name);
}

/**
 * Runs commands one after the other under one heading. Quiet while all is well, with a heartbeat that repeats the latest
 * line; `summary(output)` gives what the closing line says besides the time. A failure prints everything and throws.
 */
export async function stage(title, commands, { env, cwd = projectRoot(), summary } = {}) {
  const begun = Date.now();
  say(`\n== ${title}`);
  let latest = "";
  const heartbeat = setInterval(() => {
    say(`   ${seconds(Date.now() - begun)} so far${latest ? `: ${latest}` : ""}`);
  }, HEARTBEAT_SECONDS * 1000);
  let output = "";
  try {
    for (const [command, ...args] of commands) {
      const onLine = (line) => {
        latest = line.trim().slice(0, 90);
      };
      const result = await run(command, args, { cwd, env, onLine });
      output += result.output;
      if (result.code !== 0) {
        say(result.output.trimEnd());
        const how = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.code}`;
        say(`\nFailed: ${title} (\`${[command.split("/").pop(), ...args].join(" ")}\` ${how})`);
        throw new StageFailure(title);
      }
    }
  } finally {
    clearInterval(heartbeat);
  }
  const more = summary?.(output);
  say(`   done in ${seconds(Date.now() - begun)}${more ? `, ${more}` : ""}`);
}
