// Debian packages without installing them and without root: apt with private folders resolves and fetches a whole
// closure; the files are unpacked by dpkg-deb. As root, packages of the machine's own release can be installed.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inCache } from "./cache.mjs";
import { lastWords, run, which } from "./commands.mjs";
import { machineSourceForSuite } from "./debian-source.mjs";
import { SetUpError, step } from "./progress.mjs";

export function isDebian() {
  if (!existsSync("/etc/os-release") || !which("apt-get") || !which("dpkg-deb")) return false;
  return /^ID="?debian"?$/m.test(readFileSync("/etc/os-release", "utf8"));
}

export function isRoot() {
  return process.getuid?.() === 0;
}

const APT_ENVIRONMENT = { ...process.env, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" };

/** A mirror that does not answer, as opposed to one that lacks something. */
export function looksOffline(output) {
  return /(Could not|Cannot|Couldn't|Unable to) (resolve|connect|initiate)|Temporary failure|Name or service|timed out|unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/i.test(
    output,
  );
}

/** Fails with what was tried and what to do about it. */
export function fetchError(what, output) {
  if (looksOffline(output)) {
    return new SetUpError(`${what} could not be fetched because the network cannot be reached: connect and run again.`);
  }
  return new SetUpError(`${what} could not be fetched: ${lastWords(output)}`);
}

/**
 * A private view of a Debian archive, made anew for each set-up and removed by `close()`. `suite` null means the
 * machine's own release, and what is installed then counts as there.
 */
export async function openArchive(suite) {
  const folder = inCache(`apt-${suite ?? "own"}`);
  rmSync(folder, { recursive: true, force: true });
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
  const updated = await run("apt-get", [...options, "update"], { env: APT_ENVIRONMENT });
  if (updated.code !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw fetchError(`The package list of Debian${suite ? ` ${suite}` : ""}`, updated.output);
  }
  const archives = join(folder, "cache", "archives");
  return {
    /** Fetches the packages and all they depend on; returns the paths of the files. */
    async download(packages, note = () => {}) {
      for (const name of readdirSync(archives)) {
        if (name.endsWith(".deb")) rmSync(join(archives, name));
      }
      const command = [
        "install",
        "--no-install-recommends",
        "--download-only",
        "-y",
        "-oAPT::Status-Fd=3",
        ...packages,
      ];
      const fetched = await run("apt-get", [...options, ...command], {
        env: APT_ENVIRONMENT,
        onStatus: (line) => {
          const percent = /^dlstatus:\d+:([\d.]+):/.exec(line)?.[1];
          if (percent) note(`${Math.round(Number(percent))} % fetched`);
        },
      });
      if (fetched.code !== 0) throw fetchError(`The Debian packages ${packages.join(", ")}`, fetched.output);
      return readdirSync(archives)
        .filter((name) => name.endsWith(".deb"))
        .map((name) => join(archives, name));
    },
    close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Unpacks packages into one root, two at a time. */
export async function unpack(files, root, note = () => {}) {
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
