// Running a stage of a build or a test: a heading, how long it took, and the whole output when it fails.
import { run } from "../setup/commands.mjs";
import { fromRoot, projectRoot } from "../setup/environment.mjs";
import { say, withHeartbeat } from "../setup/progress.mjs";

/** A stage that failed; its output has been printed already. */
export class StageFailure extends Error {
  name = "StageFailure";
}

/** A program of node_modules. */
export function npmProgram(name) {
  return fromRoot("node_modules/.bin", name);
}

/**
 * Runs commands one after the other under one heading. Quiet while all is well, with a heartbeat that repeats the latest
 * line; `summary()` gives what the closing line says besides the time. A failure prints everything and throws.
 */
export async function stage(title, commands, { env, cwd = projectRoot(), summary } = {}) {
  say(`\n== ${title}`);
  const { took } = await withHeartbeat("   ", async (note) => {
    for (const [command, ...args] of commands) {
      const { code, signal, output } = await run(command, args, {
        cwd,
        env,
        onLine: (line) => note(line.trim().slice(0, 90)),
      });
      if (code === 0) continue;
      say(output.trimEnd());
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      say(`\nFailed: ${title} (\`${[command.split("/").pop(), ...args].join(" ")}\` ${how})`);
      throw new StageFailure(title);
    }
  });
  const more = summary?.();
  say(`   done in ${took}${more ? `, ${more}` : ""}`);
}
