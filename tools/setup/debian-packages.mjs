// Debian packages without installing them and without root: apt with private folders resolves and fetches a whole
// closure; the files are unpacked by dpkg-deb. As root, packages of the machine's own release can be installed.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { inCache } from "./cache.mjs";
import { lastWords, run, which } from "./commands.mjs";
import { machineSourceForSuite } from "./debian-source.mjs";
import { fetchError } from "./fetch.mjs";
import { SetUpError, step } from "./progress.mjs";

export function isDebian() {
  if (!existsSync("/etc/os-release") || !which("apt-get") || !which("dpkg-deb")) return false;
  return /^ID="?debian"?$/m.test(readFileSync("/etc/os-release", "utf8"));
}

export function isRoot() {
  return process.getuid?.() === 0;
}

const APT_ENVIRONMENT = { ...process.env, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" };

/** Options of apt-get for a private view of a Debian archive in `folder`, without its lists. */
async function archiveOptions(suite, folder) {
  for (const name of ["parts", "state/lists/partial", "cache/archives/partial", "log"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const status = join(folder, "status");
  const options = [
    `-oDir::State=${join(folder, "state")}`,
    `-oDir::State::status=${status}`,
    `-oDir::Cache=${join(folder, "cache")}`,
    `-oDir::Log=${join(folder, "log")}`,
    "-oAPT::Sandbox::User=root",
    "-oAPT::Update::Error-Mode=any",
    "-oAcquire::Languages=none",
    "-oAcquire::Retries=3",
    "-oAcquire::http::Timeout=30",
    "-oAcquire::https::Timeout=30",
    "-oAPT::Get::List-Cleanup=false",
  ];
  if (suite) {
    const source = await machineSourceForSuite(suite);
    if (!source)
      throw new SetUpError("No Debian source was found in this machine's apt configuration: add Debian's main.");
    writeFileSync(join(folder, "parts", `archive.${source.extension}`), source.text, { mode: 0o600 });
    writeFileSync(status, "");
    options.push("-oDir::Etc::SourceList=/dev/null", `-oDir::Etc::SourceParts=${join(folder, "parts")}`);
  } else {
    copyFileSync("/var/lib/dpkg/status", status);
  }
  return options;
}

/** Fetches packages and all they depend on into `folder`; returns the paths of the files. */
async function download(suite, packages, folder, note) {
  const options = await archiveOptions(suite, folder);
  const updated = await run("apt-get", [...options, "update"], { env: APT_ENVIRONMENT });
  if (updated.code !== 0) throw fetchError(`The package list of Debian${suite ? ` ${suite}` : ""}`, updated.output);
  const command = ["install", "--no-install-recommends", "--download-only", "-y", "-oAPT::Status-Fd=3", ...packages];
  const fetched = await run("apt-get", [...options, ...command], {
    env: APT_ENVIRONMENT,
    onStatus: (line) => {
      const percent = /^dlstatus:\d+:([\d.]+):/.exec(line)?.[1];
      if (percent) note(`${Math.round(Number(percent))} % fetched`);
    },
  });
  if (fetched.code !== 0) throw fetchError(`The Debian packages ${packages.join(", ")}`, fetched.output);
  const archives = join(folder, "cache", "archives");
  return readdirSync(archives)
    .filter((name) => name.endsWith(".deb"))
    .map((name) => join(archives, name));
}

/** Unpacks packages into one root, two at a time. */
async function unpack(files, root, note) {
  mkdirSync(root, { recursive: true });
  const waiting = [...files];
  let done = 0;
  const worker = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      const result = await run("dpkg-deb", ["-x", file, root]);
      if (result.code !== 0) {
        throw new SetUpError(
          `A package could not be unpacked into ${root} (is the disk full?): ${lastWords(result.output)}`,
        );
      }
      note(`${++done} of ${files.length} packages unpacked`);
    }
  };
  await Promise.all([worker(), worker()]);
}

/**
 * Fetches packages and all they depend on, and unpacks those whose file names are wanted into the folder `root`. `suite`
 * null means the machine's own release, and what is installed then counts as there. `note(text)` tells how far it is.
 * Returns how many were fetched.
 */
export async function unpackPackages(suite, packages, root, note, isWanted = () => true) {
  const folder = inCache(`apt-${suite ?? "own"}`);
  rmSync(folder, { recursive: true, force: true });
  try {
    const files = await download(suite, packages, folder, note);
    await unpack(
      files.filter((file) => isWanted(basename(file))),
      root,
      note,
    );
    return files.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let systemListsAreFresh = false;

/** Installs packages of the machine's own release. Only for root on Debian. */
export async function installOnSystem(packages, why) {
  await step(`Installing ${packages.join(", ")} (${why})`, async (note) => {
    if (!systemListsAreFresh) {
      note("reading package lists");
      const updated = await run("apt-get", ["update", "-q", "-oAcquire::Retries=3"], { env: APT_ENVIRONMENT });
      // Old lists may still do; if not, the installation says so.
      systemListsAreFresh = updated.code === 0;
    }
    const options = [
      "install",
      "-y",
      "-q",
      "--no-install-recommends",
      "-oDPkg::Lock::Timeout=300",
      "-oAcquire::Retries=3",
    ];
    const installed = await run("apt-get", [...options, ...packages], {
      env: APT_ENVIRONMENT,
      onLine: (line) => note(line.slice(0, 70)),
    });
    if (installed.code !== 0) throw fetchError(`The Debian packages ${packages.join(", ")}`, installed.output);
  });
}
