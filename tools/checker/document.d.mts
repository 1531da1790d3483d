import type { checkRope } from "ropewalk";

export function checkerDocument(check: typeof checkRope): string;
