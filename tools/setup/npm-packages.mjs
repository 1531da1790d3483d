// The npm packages: installed when package-lock.json is not the one that was installed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, which } from "./commands.mjs";
import { looksOffline } from "./fetch.mjs";
import { SetUpError, step } from "./progress.mjs";

function identity(root) {
  const lock = ["package-lock.json", "package.json"].find((name) => existsSync(join(root, name)));
  const hash = createHash("sha256").update(readFileSync(join(root, lock)));
  return hash.update(`${process.platform} ${process.arch} ${process.version.split(".")[0]}`).digest("hex");
}

/** npm says the cause first and its usage last. */
function firstWords(output) {
  const said = output.split("\n").map((line) => line.replace(/^npm (error|ERR!)\s*/, "").trim());
  return said.filter(Boolean).slice(0, 3).join(" / ");
}

/** Installs the packages of the folder `root`; `more` are further arguments of npm. */
export async function setUpNpmPackages(root, more = []) {
  const stamp = join(root, "node_modules/.ropewalk-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === identity(root)) return;
  const npm = which("npm");
  if (!npm) throw new SetUpError("`npm` is not on PATH: install it (it comes with Node) and run again.");
  const hasLock = existsSync(join(root, "package-lock.json"));
  await step("Installing npm packages", async (note) => {
    const args = [hasLock ? "ci" : "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"].concat(
      more,
    );
    // Browsers come from the system, not from a download of Playwright's.
    const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1", PUPPETEER_SKIP_DOWNLOAD: "1" };
    const result = await run(npm, args, { cwd: root, env, onLine: (line) => note(line.slice(0, 70)) });
    if (result.code === 0) return;
    if (looksOffline(result.output)) {
      throw new SetUpError(
        "The npm packages could not be fetched because npm's registry cannot be reached: connect to the network and run again.",
      );
    }
    throw new SetUpError(`\`npm ${args[0]}\` failed: ${firstWords(result.output)}`);
  });
  writeFileSync(stamp, identity(root));
}
