// A decoder by one call on two threads, which should reach 0.85 of what two instances do that run at once, each in a
// process of its own.
import { openRopewalk } from "../decoders/engines.mjs";
import { CACHED, DECODER, idsOf, multiplied, STRETCH } from "../decoders/shape.mjs";
import { WORK } from "../decoders/work.mjs";
import { measureGroup } from "../harness/group.mjs";
import { calling } from "../harness/sampler.mjs";

const [HELD] = CACHED;

export async function decoderThreadsGroups(host, { quick, report }) {
  const one = await openRopewalk(host);
  const threaded = await openThreaded(host);
  for (const engine of [one, threaded]) engine.hold(0);
  const expected = one.step(idsOf(STRETCH));
  const found = threaded.step(idsOf(STRETCH));
  if (!found.every((value, i) => value === expected[i])) throw new Error("threads changed the logits");
  const cases = [
    { work: "prefill", title: `a prompt of ${STRETCH} tokens`, tokens: STRETCH, rounds: 7 },
    { work: "decode", title: `a token behind ${HELD}`, tokens: 1, rounds: 15 },
  ];
  for (const { work, title, tokens, rounds } of cases) {
    const amount = 2 * multiplied(DECODER) * tokens;
    const own = (engine) => () => calling("", "", WORK[work](engine, HELD));
    report(
      await measureGroup({
        suite: "batches",
        host: host.name,
        key: `decoder/${work}`,
        title: `${DECODER.title} in int8, ${title}`,
        work: { unit: "GOP/s", amount },
        makers: [
          { key: "here", label: "ropewalk, on the caller's thread", make: own(one) },
          { key: "threads-2", label: "ropewalk, one call on 2 threads", make: own(threaded) },
          {
            key: "instances-2",
            label: "ropewalk, 2 instances at once, a call of each",
            make: async () => ({ ...(await atOnce(host, 2, { work, held: HELD })), amount: 2 * amount }),
          },
        ],
        timing: { rounds: quick ? 3 : rounds, sampleMs: 150, budgetMs: quick ? 500 : 5000, atLeast: 3 },
      }),
    );
  }
  one.dispose();
  threaded.dispose();
}

async function openThreaded(host) {
  const ropewalk = await host.ropewalkOn(2);
  const engine = await openRopewalk({ ...host, ropewalk: () => ropewalk });
  while (ropewalk.threads < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  return engine;
}

/** A sample lasts until the last of them is done. */
async function atOnce(host, count, make) {
  const all = await Promise.all(Array.from({ length: count }, () => host.decoder(make)));
  return {
    async sample(iterations) {
      const begun = performance.now();
      await Promise.all(all.map((each) => each.sample(iterations)));
      return performance.now() - begun;
    },
    dispose() {
      for (const each of all) each.dispose();
    },
  };
}
