/** A server on this machine, for what a test asks for. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface TestServer {
  /** Without a slash at its end. */
  readonly address: string;
  close(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
