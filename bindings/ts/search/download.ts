/** The downloads of the element, and their sizes in words. */
export type Progress = (loaded: number, total?: number) => void;

export const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** As the server tells it, or undefined. */
export async function sizeOf(address: URL): Promise<number | undefined> {
  try {
    const { ok, headers } = await fetch(address, { method: "HEAD" });
    const length = headers.get("content-length");
    return ok && length !== null ? Number(length) : undefined;
  } catch {
    return undefined;
  }
}

/** An error with the address in it: that of `fetch` names none, and is another text in each browser. */
const unreached = (address: URL) => (error: unknown) => {
  throw error instanceof TypeError ? new Error(`${address.href} could not be reached`, { cause: error }) : error;
};

/** @throws Error that names the address, and the status if there is one. */
export async function fetchBytes(address: URL, signal: AbortSignal, onProgress: Progress): Promise<Uint8Array> {
  const response = await fetch(address, { signal }).catch(unreached(address));
  if (!response.ok) throw new Error(`${address.href} answered ${response.status}`);
  // A compressed answer has more bytes than the header says.
  const encoded = response.headers.has("content-encoding");
  const total = encoded ? undefined : Number(response.headers.get("content-length") ?? Number.NaN) || undefined;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    onProgress(loaded, total);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
