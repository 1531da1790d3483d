// The machine's own Debian source, with its suite changed. No mirror is named here: the machine's is taken as it is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./commands.mjs";

const ADD_ON_SUITE = /-(updates|security|backports|proposed-updates|sloppy|lts)$|\//;

function isBaseSuite(suite) {
  return !ADD_ON_SUITE.test(suite);
}

/** deb822 stanzas as lists of { name, text }: text is the field's own lines, continuation lines included. */
function stanzasOf(text) {
  const stanzas = [];
  let fields = [];
  for (const line of [...text.split(/\r?\n/), ""]) {
    if (line.startsWith("#")) continue;
    if (!line.trim()) {
      if (fields.length) stanzas.push(fields);
      fields = [];
    } else if (/^[ \t]/.test(line)) {
      if (fields.length) fields[fields.length - 1].text += `\n${line}`;
    } else {
      fields.push({ name: line.split(":")[0].trim().toLowerCase(), text: line });
    }
  }
  return stanzas;
}

function wordsOf(fields, name) {
  const field = fields.find((candidate) => candidate.name === name);
  return field
    ? field.text
        .slice(field.text.indexOf(":") + 1)
        .split(/\s+/)
        .filter(Boolean)
    : [];
}

/** The first stanza of a `.sources` text that serves Debian's main packages, for another suite; or null. */
function deb822ForSuite(text, suite) {
  for (const fields of stanzasOf(text)) {
    const enabled = wordsOf(fields, "enabled")[0]?.toLowerCase();
    if (["no", "false", "without", "off", "disable", "0"].includes(enabled)) continue;
    if (!wordsOf(fields, "types").includes("deb") || !wordsOf(fields, "components").includes("main")) continue;
    if (!wordsOf(fields, "suites").some(isBaseSuite)) continue;
    const changed = ["types", "suites", "components", "enabled"];
    const kept = fields.filter((field) => !changed.includes(field.name)).map((field) => field.text);
    return `${["Types: deb", `Suites: ${suite}`, "Components: main", ...kept].join("\n")}\n`;
  }
  return null;
}

/** The first line of a classic `.list` text that serves Debian's main packages, for another suite; or null. */
function listForSuite(text, suite) {
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line);
    if (!match) continue;
    const [, options = "", address, ownSuite, components] = match;
    if (!isBaseSuite(ownSuite) || !components.split(/\s+/).includes("main")) continue;
    return `deb ${options}${address} ${suite} main\n`;
  }
  return null;
}

/**
 * A source of another vendor may lie beside Debian's. The one that names Debian's archive comes first: by its file's
 * name, then by any entry whose suite is this machine's release.
 */
export async function machineSourceForSuite(suite) {
  const asked = await run("apt-config", [
    "shell",
    "LIST",
    "Dir::Etc::SourceList/f",
    "PARTS",
    "Dir::Etc::SourceParts/d",
  ]);
  const list = /^LIST='(.*)'$/m.exec(asked.stdout)?.[1] ?? "/etc/apt/sources.list";
  const parts = /^PARTS='(.*)'$/m.exec(asked.stdout)?.[1] ?? "/etc/apt/sources.list.d/";
  const names = existsSync(parts) ? readdirSync(parts).filter((name) => /\.(list|sources)$/.test(name)) : [];
  names.sort((a, b) => Number(b.startsWith("debian")) - Number(a.startsWith("debian")) || a.localeCompare(b));
  const debianFirst = names.filter((name) => name.startsWith("debian")).map((name) => join(parts, name));
  const others = names.filter((name) => !name.startsWith("debian")).map((name) => join(parts, name));
  for (const path of [...debianFirst, list, ...others]) {
    if (!existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    const isList = path.endsWith(".list");
    const entry = isList ? listForSuite(text, suite) : deb822ForSuite(text, suite);
    if (entry) return { extension: isList ? "list" : "sources", text: entry };
  }
  return null;
}
