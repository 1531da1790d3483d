/** Reads and writes files; errors name the file. */

/** An error about a file. */
export class FileError extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file}: ${why}`, { cause });
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ENOSPC: "no space left",
  EEXIST: "is there already",
  ENOTEMPTY: "is there already, with files in it",
  EROFS: "the file system is read-only",
};

/** Failures of the system in few words, all others as they are. */
export async function about<T>(file: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new FileError(file, REASONS[code] ?? message, error);
  }
}

export function parseJson(file: string, text: string): object {
  if (text.trim() === "") throw new FileError(file, "is empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileError(file, `not JSON: ${(error as Error).message}`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new FileError(file, "holds no JSON object");
}
