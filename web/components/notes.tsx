import { notes } from "../state/address.js";

/** The parts of the link that could not be used. */
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
