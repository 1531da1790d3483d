/** The sentence of whatever was thrown. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
