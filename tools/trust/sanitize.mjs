// `npm run test:sanitize`: the suites of document.mjs, or those that are named; and `npm run test:neon`. Each suite puts its
// row into docs/trust.md.
import { buildPreset } from "../run/builds.mjs";
import { testAddresses, testCheckedWasm, testGuardPages, testNeon, testThreads } from "../run/checks.mjs";
import { chosen } from "../run/names.mjs";
import { about, record, SANITIZED_SUITES } from "./document.mjs";

const SUITES = {
  async addresses(tally) {
    await buildPreset("asan", ["all", "ropewalk_fuzz"]);
    await testAddresses(tally);
  },
  async threads(tally) {
    await buildPreset("tsan", "ropewalk_tests");
    await testThreads(tally);
  },
  async guards(tally) {
    await buildPreset("release", ["ropewalk_tests", "ropewalk_guard_pages"]);
    await testGuardPages(tally);
  },
  async wasm(tally) {
    await buildPreset("wasm-checks", "ropewalk_tests");
    await testCheckedWasm(tally);
  },
};

/** Runs a suite and records its counts, also when tests failed. */
async function recorded(kind, name, tally, suite) {
  const tried = about(kind, name);
  try {
    await suite(tally);
  } finally {
    // A failure without a failed test, such as a crash or a build, has no count to record.
    const counts = tally.at(-1);
    if (counts) record(kind, name, counts, tried);
  }
}

export async function neon(tally, all) {
  await recorded("neon", all ? "all" : "architectures", tally, async () => {
    await buildPreset("neon", "ropewalk_tests");
    await testNeon(tally, all);
  });
}

export async function sanitize(tally, wanted) {
  for (const name of chosen("suite", Object.keys(SANITIZED_SUITES), wanted)) {
    await recorded("sanitize", name, tally, SUITES[name]);
  }
}
