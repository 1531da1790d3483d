import { useSignal } from "@preact/signals";
import { download } from "../../export/save.js";
import { state } from "../../state/address.js";
import { figureWorker } from "../../worker/figure-worker.js";
import { messageOf } from "../frequencies/model.js";

const room = state.encodings;
export const weightsFile = () => `${room.encoding.value}-${room.seed.value}.safetensors`;

/** The chosen encoding's model as a file, for the program below or any other. */
export function WeightsButton() {
  const failed = useSignal("");
  const save = async () => {
    try {
      failed.value = "";
      const bytes = await figureWorker().call("weights", { encoding: room.encoding.value, seed: room.seed.value });
      download(new Blob([bytes]), weightsFile());
    } catch (error) {
      failed.value = messageOf(error);
    }
  };
  return (
    <p class="fit-row">
      <button type="button" onClick={() => void save()}>
        Save the weights
      </button>
      <span class="hint">{failed.value || weightsFile()}</span>
    </p>
  );
}
