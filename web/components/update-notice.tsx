import { takeOver, waiting } from "../offline/register.js";

/** A newer build of the site never takes the page away: it is offered. */
export function UpdateNotice() {
  if (!waiting.value) return null;
  return (
    <div class="notes" role="status">
      <p>A newer Ropewalk is ready. Your settings stay in the address.</p>
      <button type="button" onClick={takeOver}>
        Reload
      </button>
    </div>
  );
}
