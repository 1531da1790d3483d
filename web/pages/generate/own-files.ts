/** Files of a folder that was dropped, one level deep, and files that were dropped themselves. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  const entries = Array.from(data?.items ?? [], (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return Array.from(data?.files ?? []);
  return (await Promise.all(entries.map(filesIn))).flat();
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A reader gives its entries in parts, the last of which is empty.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return files;
    for (const each of part) if (each.isFile) files.push(await fileOf(each as FileSystemFileEntry));
  }
}
