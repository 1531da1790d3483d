// Chromium for the browser tests: the machine's, or installed as root, or unpacked into the cache without root.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inCache, makeFolder, stampOf } from "./cache.mjs";
import { lastWords, run, which } from "./commands.mjs";
import { installOnSystem, isDebian, isRoot, openArchive, unpack } from "./debian-packages.mjs";
import { SetUpError, step } from "./progress.mjs";

const NAMES = [
  "chromium",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** The page is text: without one font no letter is drawn. */
const PACKAGES = ["chromium", "fonts-dejavu-core"];

/** Does this browser start and draw a page? Returns null, or why not. */
async function problemOf(browser) {
  const profile = mkdtempSync(join(tmpdir(), "ropewalk-browser-"));
  try {
    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`,
    ];
    const page = "data:text/html,<p>rope<script>document.body.append('walk')</script>";
    const env = { ...process.env, HOME: profile };
    const result = await run(browser, [...flags, "--dump-dom", page], { timeout: 60_000, env });
    return result.stdout.includes("walk</body>") ? null : lastWords(result.output, 2) || "it prints nothing";
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

function unpackedFolder() {
  return inCache("chromium");
}

function launcher() {
  return join(unpackedFolder(), "chromium-from-cache");
}

/** Chromium of the machine's own release, with those libraries that the machine lacks, started through a script. */
async function unpackChromium() {
  const folder = unpackedFolder();
  await step("Fetching Chromium into the cache folder (no root, about 100 MB)", (note) =>
    makeFolder(folder, async (temporary) => {
      const archive = await openArchive(null);
      try {
        await unpack(await archive.download(PACKAGES, note), temporary, note);
      } finally {
        archive.close();
      }
      if (!existsSync(join(temporary, "usr/lib/chromium/chromium"))) {
        throw new SetUpError("Debian's chromium package holds no chromium: install a Chrome or Chromium on PATH.");
      }
      const triplets = readdirSync(join(temporary, "usr/lib")).filter((name) => name.includes("-linux-gnu"));
      const libraries = triplets.flatMap((name) => [`$here/usr/lib/${name}`, `$here/lib/${name}`]);
      mkdirSync(join(temporary, "fontconfig"));
      writeFileSync(
        join(temporary, "fonts.conf"),
        `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${join(folder, "usr/share/fonts")}</dir><dir>/usr/share/fonts</dir>
<cachedir>${join(folder, "fontconfig")}</cachedir></fontconfig>
`,
      );
      const script = join(temporary, "chromium-from-cache");
      writeFileSync(
        script,
        `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/usr/lib/chromium:${libraries.join(":")}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/usr/lib/chromium/chromium" "$@"
`,
      );
      chmodSync(script, 0o755);
      return {};
    }),
  );
}

/** The path of a Chromium that starts. `known` is the one that an earlier set-up tried. */
export async function setUpBrowser(known) {
  const asked = process.env.ROPEWALK_CHROMIUM;
  if (asked) {
    const path = which(asked);
    const problem = path ? (known === path ? null : await problemOf(path)) : "there is no such program";
    if (problem)
      throw new SetUpError(`ROPEWALK_CHROMIUM is ${asked}, which does not run (${problem}): correct or unset it.`);
    return path;
  }
  if (known && which(known)) return known;
  let reason = "none is installed";
  const tryMachine = async () => {
    for (const name of NAMES) {
      const path = which(name);
      if (!path) continue;
      const problem = await problemOf(path);
      if (!problem) return path;
      reason = `${path} does not start: ${problem}`;
    }
    return null;
  };
  const own = await tryMachine();
  if (own) return own;
  if (isDebian()) {
    try {
      if (isRoot()) {
        await installOnSystem(PACKAGES, "a browser for the tests");
        const installed = await tryMachine();
        if (installed) return installed;
      } else {
        if (!stampOf(unpackedFolder())) await unpackChromium();
        const problem = await problemOf(launcher());
        if (!problem) return launcher();
        reason = `the unpacked Chromium does not start: ${problem}`;
      }
    } catch (error) {
      if (!(error instanceof SetUpError)) throw error;
      reason = error.message;
    }
  }
  const remedy = isDebian() ? "run `apt-get install chromium` as root" : "install Chrome or Chromium";
  throw new SetUpError(
    `The browser tests need Chromium or Chrome (${reason}): ${remedy}, or set ROPEWALK_CHROMIUM to its path, then run again.`,
  );
}
