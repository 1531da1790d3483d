import { bytes } from "../text/format.js";

/** Bytes of a model that have been read, and of how many. */
export interface Reading {
  readonly loaded: number;
  readonly total: number | undefined;
}

interface Props {
  readonly id: string;
  readonly reading: Reading | undefined;
  readonly failure: string;
  readonly cancel: () => void;
}

/** How far the reading of a model is, a way to cancel it, and why it failed. */
export function OpeningStatus({ id, reading, failure, cancel }: Props) {
  const of = reading && (reading.total ? ` of ${bytes(reading.total)}` : "");
  const so = reading && reading.loaded > 0 ? ` ${bytes(reading.loaded)}${of}` : "";
  return (
    <>
      {reading && (
        <div class="opening">
          <label for={id}>Reading{so}</label>
          <progress id={id} max={1} value={reading.total ? reading.loaded / reading.total : undefined} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
      {failure && (
        <div class="failure" role="alert">
          {failure}
        </div>
      )}
    </>
  );
}
