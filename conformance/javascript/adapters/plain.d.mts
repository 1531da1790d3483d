import type { Adapter } from "../run.mjs";

declare const adapter: Adapter;
export default adapter;
