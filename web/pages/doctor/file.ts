import { batch, signal } from "@preact/signals";
import { askForAnalyst, checker } from "../../library/library.js";
import { messageOf } from "../../text/message.js";
import { state } from "./state.js";

/** Why the last file could not be read. */
export const unread = signal("");

/** A table and readers that were chosen before stay. */
function put(config: string): void {
  batch(() => {
    state.config.value = config;
    state.layers.value = "";
  });
}

/** Reads a config.json, or the header of a GGUF file, however large that is. */
export async function take(file: File | undefined): Promise<void> {
  if (!file) return;
  unread.value = "";
  if (/\.gguf$/i.test(file.name)) {
    try {
      // A visitor may be faster than the library.
      await askForAnalyst();
      const metadata = await checker.value?.gguf(file);
      if (metadata) put(JSON.stringify(metadata, null, 2));
    } catch (error) {
      unread.value = `${file.name}: ${messageOf(error)}`;
    }
    return;
  }
  // A tokenizer or weights chosen by mistake: no config comes near it.
  if (file.size > 1e6) {
    unread.value = `${file.name} has ${file.size} bytes; allowed: a config.json of at most 1 MB, or a .gguf file.`;
    return;
  }
  const text = await file.text();
  // A picture, say: nobody wants to see its bytes in the box.
  if (/[\0\ufffd]/.test(text)) unread.value = `${file.name} is not a text; choose a config.json or a .gguf file.`;
  else put(text);
}
