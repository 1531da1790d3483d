// Extensions of browsers (manifest V3): their policy on a page in two browsers, and an unpacked extension in Chromium.
import { createHash } from "node:crypto";
import { inChromium, inFirefox } from "../browsers.mjs";
import { installed, served } from "../folder.mjs";

/** The widest policy that a manifest may ask for; WebAssembly needs it whoever wrote the module. */
const POLICY = "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'";

async function buildPage(folder) {
  folder.addPage();
  folder.addModel("public");
  await folder.run(process.execPath, installed("vite8/bin/vite.js"), "build");
}

const policy = (name, open) => ({
  name: `${name}, policy of extensions`,
  ways: `\`vite build\`; \`${POLICY}\``,
  async run({ folder }) {
    await buildPage(folder);
    return served(`${folder.folder}/dist`, { "content-security-policy": POLICY }, open);
  },
});

const manifest = {
  manifest_version: 3,
  name: "Host",
  version: "1",
  content_security_policy: { extension_pages: POLICY },
};

/** Chromium names an unpacked extension by the hash of its path, in the letters a to p. */
function extensionName(path) {
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return [...hash].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
}

export const hosts = [
  policy("Chromium", inChromium),
  policy("Firefox", inFirefox),
  {
    name: "Chromium, unpacked extension",
    ways: `\`vite build\`; a page of manifest V3 with \`${POLICY}\``,
    async run({ folder }) {
      await buildPage(folder);
      folder.write("dist/manifest.json", JSON.stringify(manifest));
      const extension = `${folder.folder}/dist`;
      return inChromium(`chrome-extension://${extensionName(extension)}/index.html`, { extension });
    },
  },
];
