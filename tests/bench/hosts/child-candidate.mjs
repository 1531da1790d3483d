// A candidate that lives elsewhere, in a process or in a worker, and is asked for its samples there.

/** `ask(request)` resolves to the answer; `end()` ends the other side. */
export async function remoteLoop(ask, end, make) {
  try {
    await ask({ make });
  } catch (error) {
    end();
    throw error;
  }
  return { key: "", label: "", sample: (iterations) => ask({ sample: iterations }), dispose: end };
}

/** Turns a channel of messages into questions with answers, one at a time. */
export function asker(send) {
  let waiting;
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        send(request);
      }),
    answered({ result, error }) {
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new Error(error));
    },
    failed: (error) => waiting?.reject(error),
  };
}
