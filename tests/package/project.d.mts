/** The folder of this repository. */
export const root: string;

/** Runs a program to its end and returns what it wrote; an Error with all of it when the program fails. */
export function run(folder: string, command: string, ...args: string[]): string;

/** Packs the package into `folder`; its path. */
export function pack(folder: string): string;

/** The folder of all-MiniLM-L6-v2 as published, or null where `npm run test:published` has not fetched it. */
export function publishedMiniLM(): { folder: string | null; gguf: string | null };

export interface Project {
  folder: string;
  tarball: string;
  write(path: string, text: string): void;
  run(command: string, ...args: string[]): string;
  remove(): void;
}

export function makeProject(): Project;
