/** Calls to the playground's own workers, by the protocol of the package's. */
import { type Calls, type Client, channelOf, connect as connectTo } from "../../bindings/ts/parallel/calls.js";

export { type CallContext, type Calls, type Client, type Reply, serve } from "../../bindings/ts/parallel/calls.js";

export const connect = <C extends Calls>(worker: Worker): Client<C> => connectTo<C>(channelOf(worker, "this page"));
