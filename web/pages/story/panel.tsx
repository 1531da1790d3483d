import { effect } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { CopyButton } from "../../components/copy.js";
import { askForLibrary } from "../../library/library.js";
import { show } from "../../state/address.js";
import { messageOf } from "../../text/message.js";
import { askModel } from "./answers.js";
import { element, readNumbers, startControls } from "./controls.js";
import { followScenes } from "./scroll.js";
import { startStage } from "./stage.js";
import { state } from "./state.js";

/** So long the page has been shown when the model is fetched: what is first seen does not wait for it. */
const PATIENCE = 500;

/** Hands the pasted text to the page that reads it. */
function checkConfig(event: SubmitEvent): void {
  event.preventDefault();
  show("doctor", { config: element<HTMLTextAreaElement>("story-config").value });
}

async function runExample(): Promise<void> {
  const output = element("story-printed");
  try {
    const { runLines } = await import("./run-lines.js");
    output.textContent = await runLines();
  } catch (error) {
    output.textContent = messageOf(error);
  }
}

/** A frame of the scene that is shown, for somebody else's page. */
function embedding(): string {
  const address = new URL(`?embed=1#story?scene=${state.scene.value}`, document.baseURI);
  return `<iframe src="${address.href}" width="720" height="1100" title="The Rope, scene ${state.scene.value}"></iframe>`;
}

/** Everything of this page stands in its HTML (prose.html): it is there before any script, which makes it answer. */
export default function StoryPage() {
  useEffect(() => {
    const sections = [...document.querySelectorAll<HTMLElement>("#story .scene")];
    const ends = [
      effect(() => {
        element("story-embed").textContent = embedding();
      }),
      startStage(element<SVGSVGElement>("story-stage")),
      startControls(sections),
      followScenes(sections),
    ];
    const form = element<HTMLFormElement>("story-check");
    const run = element("story-run");
    form.addEventListener("submit", checkConfig);
    run.addEventListener("click", runExample);
    render(
      <>
        <CopyButton label="Copy the citation" text={() => element("story-cite").textContent} />
        <CopyButton label="Copy the frame" text={() => element("story-embed").textContent} />
      </>,
      element("story-copy"),
    );
    void askForLibrary();
    void readNumbers().then((end) => ends.push(end));
    // Recorded answers stay where the model cannot be had.
    const asking = setTimeout(() => void askModel().catch(() => {}), PATIENCE);
    return () => {
      for (const end of ends) end();
      clearTimeout(asking);
      form.removeEventListener("submit", checkConfig);
      run.removeEventListener("click", runExample);
    };
  }, []);
  return <span class="alive" hidden />;
}
