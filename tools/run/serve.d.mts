import type { Server } from "node:http";

export const isolatingHeaders: Readonly<Record<string, string>>;
export function serveFolder(
  folder: string,
  firstPort: number,
  headers?: Readonly<Record<string, string>>,
): Promise<{ server: Server; address: string }>;
