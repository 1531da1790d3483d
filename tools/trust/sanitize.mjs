// `npm run test:sanitize`: the suites of document.mjs, or those that are named; and `npm run test:neon`. Each suite puts its
// row into docs/trust.md.
import { buildCheckedWasm, buildNative, buildNeon } from "../run/builds.mjs";
import { testAddresses, testCheckedWasm, testGuardPages, testNeon, testThreads } from "../run/checks.mjs";
import { SetUpError } from "../setup/progress.mjs";
import { about, record, SANITIZED_SUITES } from "./document.mjs";

const SUITES = {
  async addresses(tally) {
    await buildNative("all", "asan");
    await buildNative("ropewalk_fuzz", "asan");
    await testAddresses(tally);
  },
  async threads(tally) {
    await buildNative("ropewalk_tests", "tsan");
    await testThreads(tally);
  },
  async guards(tally) {
    await buildNative(["ropewalk_tests", "ropewalk_guard_pages"]);
    await testGuardPages(tally);
  },
  async wasm(tally) {
    await buildCheckedWasm();
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
    await buildNeon();
    await testNeon(tally, all);
  });
}

export async function sanitize(tally, wanted) {
  const names = Object.keys(SANITIZED_SUITES);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown) throw new SetUpError(`no suite ${unknown}; there are ${names.join(", ")}`);
  for (const name of names.filter((each) => wanted.length === 0 || wanted.includes(each))) {
    await recorded("sanitize", name, tally, SUITES[name]);
  }
}
