import type { Adapter } from "../run.mjs";

export function adapter(precision?: Adapter["precision"]): Promise<Adapter>;
declare const made: Adapter;
export default made;
