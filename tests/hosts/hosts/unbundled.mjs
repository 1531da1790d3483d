// The package's files as they are, in pages with an import map, and from another origin as from a CDN.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isolatingHeaders } from "../../../tools/run/serve.mjs";
import { inChromium, inFirefox, inWebKit, noWebKit } from "../browsers.mjs";
import { served } from "../folder.mjs";

const mapOf = (address) => JSON.stringify({ imports: { ropewalk: `${address}dist/web.js` } });
const pageOf = (map) => `<script type="importmap">${map}</script><script type="module" src="./main.js"></script>`;

/** The strictest policy under which WebAssembly and workers run; the import map is in the page, so its hash is named. */
function policyFor(map, scripts, workers) {
  const hash = createHash("sha256").update(map).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}' 'wasm-unsafe-eval' ${scripts}`,
    "connect-src 'self'",
    `worker-src ${workers}`,
  ].join("; ");
}

const strict = ({ name, open, missing, headers, more = "" }) => ({
  name,
  ways: `ES modules with an import map; \`script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'\`${more}`,
  missing,
  async run({ folder, project }) {
    const map = mapOf("./ropewalk/");
    folder.addPage(undefined, pageOf(map));
    folder.addModel("");
    folder.link(join(project.folder, "node_modules/ropewalk"), "ropewalk");
    return served(folder.folder, { ...headers, "content-security-policy": policyFor(map, "", "'self'") }, open);
  },
});

/** In a page that may share memory. */
const isolated = ({ name, ...host }) =>
  strict({ ...host, name: `${name}, isolated`, headers: isolatingHeaders, more: "; both headers" });

const chromium = { name: "Chromium", open: inChromium };
const firefox = { name: "Firefox", open: inFirefox };
const webkit = { name: "WebKit (GTK)", open: inWebKit, missing: noWebKit };

export const hosts = [
  strict(chromium),
  strict(firefox),
  strict({ ...webkit, name: `${webkit.name}, the engine of Safari` }),
  ...[chromium, firefox, webkit].map(isolated),
  {
    name: "Chromium, from another origin",
    ways: "as from a CDN; workers from blobs",
    run: ({ folder, project }) =>
      served(join(project.folder, "node_modules/ropewalk"), { "access-control-allow-origin": "*" }, (cdn) => {
        const map = mapOf(cdn);
        folder.addPage(undefined, pageOf(map));
        folder.addModel("");
        return served(folder.folder, { "content-security-policy": policyFor(map, cdn, "blob:") }, inChromium);
      }),
  },
];
