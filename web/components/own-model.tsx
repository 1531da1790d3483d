import { bytes } from "../text/format.js";

/** A model of the hub that a page offers. */
interface Hub {
  page: string;
  repository: string;
  licence: string;
  bytes: number;
}

interface Props {
  /** The page's name, which makes the ids of its elements unique. */
  page: string;
  /** The kind of the model in the buttons: "encoder" or "decoder". */
  kind: string;
  /** Endings of its files, as an input takes them. */
  accept: string;
  hub: Hub;
  /** The model that answers now. */
  found: { shipped: boolean } | undefined;
  /** Bytes read so far, while a model is being read. */
  reading: { loaded: number; total: number | undefined } | undefined;
  /** True if progress is shown before the first byte, since the visitor asked for the model. */
  isAsked: boolean;
  failure: string | undefined;
  open: (source: { files: File[] } | { repository: string }) => Promise<void>;
  openShipped: () => Promise<void>;
  cancel: () => void;
}

/** Opens a model of one's own, or one from the hub; says how far that is, and why it failed. */
export function OwnModel(props: Props) {
  const { page, kind, accept, hub, found, reading, isAsked, failure, open, openShipped, cancel } = props;
  const choose = (event: { currentTarget: HTMLInputElement }) => {
    void open({ files: Array.from(event.currentTarget.files ?? []) });
    event.currentTarget.value = "";
  };
  return (
    <>
      <div class="actions">
        <label class="button file">
          Choose files
          <input type="file" multiple accept={accept} onChange={choose} />
        </label>
        <label class="button file">
          Choose a folder
          {/* The attribute has this name in every browser. */}
          <input type="file" {...{ webkitdirectory: true }} onChange={choose} />
        </label>
        {found && !found.shipped && (
          <button type="button" disabled={reading !== undefined} onClick={() => void openShipped()}>
            Back to the shipped {kind}
          </button>
        )}
      </div>
      <p>
        Or your browser downloads <a href={hub.page}>{hub.repository}</a> ({hub.licence}) from huggingface.co, which
        will see your IP address. It is kept for the next visit.
      </p>
      <div class="actions">
        <button
          type="button"
          disabled={reading !== undefined}
          onClick={() => void open({ repository: hub.repository })}
        >
          Fetch {bytes(hub.bytes)} from huggingface.co
        </button>
      </div>
      {reading && (isAsked || reading.loaded > 0) && (
        <div class="opening">
          <label for={`${page}-opening`}>
            Reading
            {reading.loaded > 0 && ` ${bytes(reading.loaded)}${reading.total ? ` of ${bytes(reading.total)}` : ""}`}
          </label>
          <progress id={`${page}-opening`} max={1} value={reading.total ? reading.loaded / reading.total : undefined} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {failure && !found && (
        <div class="actions">
          <button type="button" onClick={() => void openShipped()}>
            Read the shipped {kind}
          </button>
        </div>
      )}
    </>
  );
}
