// Browsers for the tests: the machine's, or installed as root, or unpacked into the cache without root.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inCache, makeFolder, stampOf } from "./cache.mjs";
import { inTemporaryFolder, lastWords, run, which } from "./commands.mjs";
import { installOnSystem, isDebian, isRoot, unpackPackages } from "./debian-packages.mjs";
import { SetUpError, step } from "./progress.mjs";

/** The page is text: without one font no letter is drawn. */
const FONT = "fonts-dejavu-core";

export const CHROMIUM = {
  name: "Chromium",
  key: "chromium",
  variable: "ROPEWALK_CHROMIUM",
  programs: [
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  packages: ["chromium", FONT],
  folder: "usr/lib/chromium",
  program: "chromium",
  remedy: "install Chrome or Chromium",
  /** Does it start and draw a page? */
  async draws(browser, profile, env) {
    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`,
    ];
    const page = "data:text/html,<p>rope<script>document.body.append('walk')</script>";
    const result = await run(browser, [...flags, "--dump-dom", page], { timeout: 60_000, env });
    return { drawn: result.stdout.includes("walk</body>"), output: result.output };
  },
};

export const FIREFOX = {
  name: "Firefox",
  key: "firefox",
  variable: "ROPEWALK_FIREFOX",
  programs: ["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"],
  packages: ["firefox-esr", FONT],
  folder: "usr/lib/firefox-esr",
  program: "firefox-esr",
  remedy: "install Firefox",
  async draws(browser, profile, env) {
    const picture = join(profile, "picture.png");
    const flags = ["--headless", "--no-remote", "--profile", profile, "--window-size=200,100", "--screenshot", picture];
    const result = await run(browser, [...flags, "data:text/html,<p>ropewalk"], { timeout: 120_000, env });
    return { drawn: existsSync(picture), output: result.output };
  },
};

/** Returns null, or why this browser is of no use. */
function problemOf(browser, path) {
  return inTemporaryFolder("browser", async (profile) => {
    const { drawn, output } = await browser.draws(path, profile, { ...process.env, HOME: profile });
    return drawn ? null : lastWords(output, 2) || "it draws nothing";
  });
}

const unpackedFolder = ({ key }) => inCache(key);
const launcher = (browser) => join(unpackedFolder(browser), `${browser.key}-from-cache`);

/** The browser of the machine's own release, with those libraries that the machine lacks, started through a script. */
async function unpackBrowser(browser) {
  const folder = unpackedFolder(browser);
  await step(`Fetching ${browser.name} into the cache folder (no root, about 100 MB)`, (note) =>
    makeFolder(folder, async (temporary) => {
      await unpackPackages(null, browser.packages, temporary, note);
      if (!existsSync(join(temporary, browser.folder, browser.program))) {
        throw new SetUpError(`Debian's ${browser.packages[0]} holds no ${browser.program}: ${browser.remedy} on PATH.`);
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
      const script = join(temporary, `${browser.key}-from-cache`);
      writeFileSync(
        script,
        `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/${browser.folder}:${libraries.join(":")}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/${browser.folder}/${browser.program}" "$@"
`,
      );
      chmodSync(script, 0o755);
      return {};
    }),
  );
}

/** The path of such a browser that starts. `known` is the one that an earlier set-up tried. */
export async function setUpBrowser(browser, known) {
  const { name, variable, packages, programs } = browser;
  const asked = process.env[variable];
  if (asked) {
    const path = which(asked);
    const problem = path ? (known === path ? null : await problemOf(browser, path)) : "there is no such program";
    if (problem) throw new SetUpError(`${variable} is ${asked}, which does not run (${problem}): correct or unset it.`);
    return path;
  }
  if (known && which(known)) return known;
  let reason = "none is installed";
  const tryMachine = async () => {
    for (const program of programs) {
      const path = which(program);
      if (!path) continue;
      const problem = await problemOf(browser, path);
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
        await installOnSystem(packages, "a browser for the tests");
        const installed = await tryMachine();
        if (installed) return installed;
      } else {
        if (!stampOf(unpackedFolder(browser))) await unpackBrowser(browser);
        const problem = await problemOf(browser, launcher(browser));
        if (!problem) return launcher(browser);
        reason = `the unpacked ${name} does not start: ${problem}`;
      }
    } catch (error) {
      if (!(error instanceof SetUpError)) throw error;
      reason = error.message;
    }
  }
  const remedy = isDebian() ? `run \`apt-get install ${packages[0]}\` as root` : browser.remedy;
  throw new SetUpError(
    `The browser tests need ${name} (${reason}): ${remedy}, or set ${variable} to its path, then run again.`,
  );
}
