/** The little that differs between a page and Node. */

/** Bytes on their way, wherever they come from. */
export interface ByteStream {
  /** In bytes, where it is known beforehand. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
}

export interface Platform {
  /** The module that comes with this entry. */
  core(): Promise<BufferSource> | URL;
  /** Opens a URL, or in Node also a path, for reading. */
  open(location: URL | string, signal?: AbortSignal): Promise<ByteStream>;
}
