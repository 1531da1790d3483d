import { signal } from "@preact/signals";
import { show } from "./address.js";

/** A file that was dropped on a page without a use for it: Doctor reads it once it is drawn. */
export const droppedConfig = signal<File | undefined>(undefined);

export function readElsewhere(files: readonly File[]): void {
  // The file of a model's folder that is read there.
  const config = files.find(({ name }) => /^config.*\.json$|\.gguf$/i.test(name)) ?? files[0];
  if (!config) return;
  show("doctor", {});
  droppedConfig.value = config;
}
