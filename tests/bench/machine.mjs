// The machine that the figures were measured on.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { readToolchain } from "../../tools/setup/environment.mjs";
import { about } from "../../tools/trust/document.mjs";
import { peerVersions } from "./peers.mjs";

function said(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

function cacheSizes() {
  const lines = (said("lscpu") ?? "").split("\n").map((line) => /^(L\S+)( cache)?:\s+(.*)$/.exec(line.trim()));
  return lines.filter(Boolean).map(([, name, , size]) => `${name} ${size}`);
}

/** The name of the system, where it says. */
function systemName() {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

/** `kind` is one of tools/trust/records.mjs. */
export function machine(kind) {
  const { emscripten, native } = readToolchain();
  const { commit, date, load } = about(kind);
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    caches: cacheSizes(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: systemName(),
    node: process.versions.node,
    v8: process.versions.v8,
    emscripten: emscripten.version,
    compiler: native.version,
    clang: /clang version (\S+)/.exec(said("clang++", "--version") ?? "")?.[1] ?? null,
    commit,
    peers: peerVersions(),
    loadBefore: load,
    date,
  };
}
