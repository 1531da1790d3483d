import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { shownPage } from "../state/address.js";

/** Files of folders that were dropped, one level deep, and files that were dropped themselves. */
async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
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

interface Props {
  /** The pages that take them. */
  pages: readonly string[];
  /** Called with what was dropped anywhere in the window. The function of the first rendering is kept. */
  take: (files: File[]) => void;
  /** A hint at what may be dropped, shown while something is dragged over the window. */
  children: ComponentChildren;
}

/** Takes files that are dropped anywhere on a page. */
export function DropFiles({ pages, take, children }: Props) {
  const dragging = useSignal(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) =>
      pages.includes(shownPage.peek()) && (event.dataTransfer?.types.includes("Files") ?? false);
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      dragging.value = true;
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) dragging.value = false;
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      dragging.value = false;
      void droppedFiles(event.dataTransfer).then(take);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return dragging.value ? <div class="drop-veil">{children}</div> : null;
}
