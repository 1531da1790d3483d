import { defineConfig } from "@playwright/test";

const port = Number(process.env.ROPEWALK_TEST_PORT ?? 41873);
const address = `http://127.0.0.1:${port}/`;

/** Drives the built site (dist-site) in the system's Chromium: `npm run test:browser` builds it first. */
export default defineConfig({
  testDir: "tests/browser",
  // These write files of docs/, so they run only when asked for.
  testIgnore: [
    ...(process.env.ROPEWALK_VITALS === "1" ? [] : ["**/vitals.spec.ts"]),
    ...(process.env.ROPEWALK_SCREENSHOTS === "1" ? [] : ["**/pictures.spec.ts"]),
  ],
  outputDir: "build/playwright",
  fullyParallel: true,
  // One more than a small machine has processors, since tests wait as well as compute.
  workers: 3,
  // Only a test that hangs ever meets these: a busy machine may take many times as long as an idle one.
  timeout: 300_000,
  expect: { timeout: 90_000 },
  // On a busy machine one test in some thousands meets a moment that nobody thought of. `npm test` names it as flaky, for
  // somebody to mend; a test that cannot pass fails twice.
  retries: 1,
  use: {
    baseURL: address,
    // Requests that it answers would pass by the tests that stop or delay them; offline.spec.ts lets it in.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: process.env.ROPEWALK_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
    // Recording what every test does costs a tenth of the processor.
    trace: process.env.ROPEWALK_TRACE === "1" ? "retain-on-failure" : "off",
  },
  webServer: {
    command: `npx vite preview --config web/vite.config.ts --port ${port} --strictPort`,
    url: address,
  },
});
