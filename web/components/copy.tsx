import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Refused, or not there: pages without https have no clipboard but the old one.
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "visually-hidden";
    document.body.append(box);
    box.select();
    const copied = document.execCommand("copy");
    box.remove();
    return copied;
  }
}

/** A button that copies, and says that it has. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const said = useSignal("");
  useEffect(() => {
    if (!said.value) return;
    const timer = setTimeout(() => {
      said.value = "";
    }, 2000);
    return () => clearTimeout(timer);
  }, [said.value]);
  return (
    <span class="copy">
      <button
        type="button"
        onClick={async () => {
          said.value = (await toClipboard(text())) ? "copied" : "the browser does not let pages copy";
        }}
      >
        {label}
      </button>
      <span class="copy-said hint" role="status">
        {said.value}
      </span>
    </span>
  );
}
