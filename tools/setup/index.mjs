// All set-up. `npm start` and `npm test` call it; `npm run setup` runs it alone.
import { CHROMIUM, FIREFOX, setUpBrowser } from "./browser.mjs";
import { withCacheLock, writeWhole } from "./cache.mjs";
import { isDebian } from "./debian-packages.mjs";
import { setUpEmscripten } from "./emscripten.mjs";
import { projectRoot, readToolchain, TOOLCHAIN_FORMAT, toolchainFile } from "./environment.mjs";
import { setUpHeaders } from "./headers.mjs";
import { setUpBuildTools, setUpNativeCompiler } from "./native-compiler.mjs";
import { setUpNeon } from "./neon.mjs";
import { setUpNpmPackages } from "./npm-packages.mjs";
import { SetUpError, say, seconds } from "./progress.mjs";
import { setUpPython } from "./python.mjs";
import { isAtLeast, NODE_FLOOR } from "./versions.mjs";

/**
 * Sets up what is asked for and returns the toolchain: `native` a C++ compiler, `wasm` Emscripten, `wasmTests` what the
 * tests in WASM link besides, `browser` Chromium and Firefox, `python` what tests the Python package, `neon` what builds and runs for
 * 64-bit ARM. npm packages and the headers always.
 */
export async function setUp({ native, wasm, wasmTests, browser, python, neon } = {}) {
  const begun = Date.now();
  if (!isAtLeast(process.versions.node, NODE_FLOOR)) {
    throw new SetUpError(
      `Ropewalk needs Node ${NODE_FLOOR} or newer, and this is ${process.versions.node}: install a newer one.`,
    );
  }
  if (process.platform === "win32") {
    throw new SetUpError("Set-up runs on Linux and macOS: on Windows use WSL with Debian 12.");
  }
  say("Set-up");
  const toolchain = await withCacheLock(async () => {
    const known = readToolchain() ?? {};
    await setUpNpmPackages(projectRoot());
    // The quick checks first: a missing compiler is said before anything large is fetched.
    if (native || wasm || neon) await setUpBuildTools({ mayComeWithEmscripten: wasm && isDebian() });
    const found = { format: TOOLCHAIN_FORMAT, ...known };
    if (native) found.native = await setUpNativeCompiler();
    if (neon) found.neon = await setUpNeon();
    if (native || wasm || neon) Object.assign(found, await setUpHeaders());
    if (wasm) found.emscripten = await setUpEmscripten({ tests: wasmTests });
    if (browser) {
      found.chromium = await setUpBrowser(CHROMIUM, known.chromium);
      found.firefox = await setUpBrowser(FIREFOX, known.firefox);
    }
    if (python) found.python = await setUpPython();
    writeWhole(toolchainFile(), `${JSON.stringify(found, null, 2)}\n`);
    return found;
  });
  say(`  Set-up is complete (${seconds(Date.now() - begun)}).`);
  return toolchain;
}
