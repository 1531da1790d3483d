import { defineConfig } from "@playwright/test";

const port = Number(process.env.ROPEWALK_TEST_PORT ?? 41873);
const address = `http://127.0.0.1:${port}/`;

/** Drives the built site (dist-site) in the system's Chromium: `npm run test:browser` builds it first. */
export default defineConfig({
  testDir: "tests/browser",
  outputDir: "build/playwright",
  fullyParallel: true,
  workers: 2,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
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
    trace: "retain-on-failure",
  },
  webServer: {
    command: `npx vite preview --config web/vite.config.ts --port ${port} --strictPort`,
    url: address,
    reuseExistingServer: false,
  },
});
