/** Keys that a file or the library names stand between backticks; on a page, between quotation marks. */
export const quoted = (text: string): string => text.replace(/`([^`]*)`/g, "“$1”");

/** The sentence of whatever was thrown, less the name of the library's function, which no visitor has called. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return quoted(String(error));
  const { function: called } = error as { function?: string };
  const begins = called ? `${called}: ` : "";
  return quoted(error.message.startsWith(begins) ? error.message.slice(begins.length) : error.message);
}
