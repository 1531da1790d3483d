import { notes } from "../state/address.js";

/** What of the link could not be used. */
export function Notes() {
  if (notes.value.length === 0) return null;
  return (
    <div class="notes" role="status">
      {notes.value.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <button
        type="button"
        onClick={() => {
          notes.value = [];
        }}
      >
        Dismiss
      </button>
    </div>
  );
}
