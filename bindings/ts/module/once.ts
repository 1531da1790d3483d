/** Code that is fetched when it is first asked for, and asked for again after a failure. */
export interface Once<T> {
  (): Promise<T>;
  /** The value, if it has been fetched. */
  readonly value: T | undefined;
}

export function once<T>(open: () => Promise<T>): Once<T> {
  let opening: Promise<T> | undefined;
  let value: T | undefined;
  const ask = async (): Promise<T> => {
    opening ??= open();
    try {
      value = await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
    return value;
  };
  return Object.defineProperty(ask, "value", { get: () => value }) as Once<T>;
}
