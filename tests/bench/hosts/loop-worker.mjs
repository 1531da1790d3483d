import { loopAnswerer } from "./loop.mjs";

const answer = loopAnswerer();
self.addEventListener("message", ({ data }) => {
  try {
    self.postMessage({ result: answer(data) });
  } catch (error) {
    self.postMessage({ error: String(error?.message ?? error) });
  }
});
