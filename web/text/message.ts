/** The sentence of whatever was thrown, less the name of the library's function, which no visitor has called. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { function: called } = error as { function?: string };
  const begins = called ? `${called}: ` : "";
  return error.message.startsWith(begins) ? error.message.slice(begins.length) : error.message;
}
