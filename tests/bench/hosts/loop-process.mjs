import { loopAnswerer } from "./loop.mjs";

const answer = loopAnswerer();
process.on("message", (request) => {
  try {
    process.send({ result: answer(request) });
  } catch (error) {
    process.send({ error: String(error?.message ?? error) });
  }
});
process.on("disconnect", () => process.exit(0));
