import type { Server } from "node:http";

export function serveFolder(folder: string, firstPort: number): Promise<{ server: Server; address: string }>;
