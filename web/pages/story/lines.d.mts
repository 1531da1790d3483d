export const lines: string;
