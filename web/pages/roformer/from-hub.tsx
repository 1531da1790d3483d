import { hubCheckpoint, hubModel } from "../../model/hub.js";
import { model, open, opening } from "../../model/session.js";
import { bytes } from "../../text/format.js";
import { state } from "./state.js";

/** A real English checkpoint by one click; its size stands on the button. */
export function FromHub() {
  const here = model.value?.name === hubModel.name;
  return (
    <div class="from-hub">
      <p>
        Or a published English model, <a href={hubModel.page}>{hubModel.name}</a> ({hubModel.licence}): 12 layers of one
        head, trained on web texts. Your browser downloads it from huggingface.co, which will see your IP address. No
        request leaves the site unless you click.
      </p>
      <div class="actions">
        {here ? (
          <button
            type="button"
            onClick={() => {
              state.text.value = hubModel.example;
            }}
          >
            Ask it: {hubModel.example}
          </button>
        ) : (
          <button type="button" disabled={opening.value !== undefined} onClick={() => void open(hubCheckpoint)}>
            Fetch {bytes(hubModel.bytes)} from huggingface.co
          </button>
        )}
      </div>
    </div>
  );
}
