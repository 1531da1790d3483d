import type { ReadonlySignal } from "@preact/signals";
import { bytes } from "../text/format.js";
import { OpeningStatus, type Reading } from "./opening-status.js";

/** A model of the hub that a page offers. */
interface Hub {
  page: string;
  repository: string;
  licence: string;
  bytes: number;
}

type Source = { readonly files: readonly File[] } | { readonly repository: string };

interface Props {
  /** The page's name, which makes the ids of its elements unique. */
  page: string;
  /** The kind of the model in the buttons: "encoder" or "decoder". */
  kind: string;
  /** Endings of its files, as an input takes them. */
  accept: string;
  hub: Hub;
  /** The page's session. */
  of: {
    readonly model: ReadonlySignal<{ readonly name: string; readonly shipped?: boolean } | undefined>;
    readonly opening: ReadonlySignal<Reading | undefined>;
    readonly failure: ReadonlySignal<string>;
    cancel(): void;
    open(source: Source): Promise<void>;
  };
  /** True if progress is shown before the first byte, since the visitor asked for the model. */
  isAsked: boolean;
  /** Opens the model of this site, where there is one of its kind. */
  openShipped?: () => Promise<void>;
}

/** Opens a model of one's own, or one from the hub; says how far that is, and why it failed. */
export function OwnModel(props: Props) {
  const { page, kind, accept, hub, of, isAsked, openShipped } = props;
  const [found, reading, failure] = [of.model.value, of.opening.value, of.failure.value];
  const { open } = of;
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
        {openShipped && found && !found.shipped && (
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
          class={openShipped || found ? undefined : "primary"}
          disabled={reading !== undefined}
          onClick={() => void open({ repository: hub.repository })}
        >
          Fetch {bytes(hub.bytes)} from huggingface.co
        </button>
      </div>
      <OpeningStatus
        id={`${page}-opening`}
        reading={isAsked || (reading?.loaded ?? 0) > 0 ? reading : undefined}
        failure={failure}
        cancel={of.cancel}
      />
      {failure && openShipped && !found && (
        <div class="actions">
          <button type="button" onClick={() => void openShipped()}>
            Read the shipped {kind}
          </button>
        </div>
      )}
    </>
  );
}
