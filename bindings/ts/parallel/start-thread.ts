/** The calling side of a thread: a worker that gets a module and a stack, answers once, and then waits for jobs. */
import type { ThreadStarter } from "../module/threads.js";
import { type Channel, connect } from "./calls.js";
import type { ThreadCalls } from "./messages.js";

export const threadStarter =
  (openChannel: (fn: string, idle: boolean) => Promise<Channel>): ThreadStarter["startThread"] =>
  async (place, onEnd) => {
    const channel = await openChannel("load", true);
    try {
      await connect<ThreadCalls>(channel, onEnd).call("thread", place);
    } catch (error) {
      channel.close();
      throw error;
    }
  };
