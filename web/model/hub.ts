import type { Look, Source } from "./source.js";

/** A published model, read from its hub when the visitor asks for it, and only then. */
export interface Published extends Extract<Source, { repository: string }> {
  readonly licence: string;
  /** Size of what is downloaded, nearly all of it weights. */
  readonly bytes: number;
  readonly gives: readonly Look[];
  /** A text that it knows an answer to. */
  readonly example?: string;
}

export const published: readonly Published[] = [
  {
    repository: "junnyu/roformer_small_generator",
    // The main branch has them only in another format.
    weightsAt: "refs/pr/1",
    licence: "MIT",
    bytes: 18.3e6,
    gives: ["roformer", "search"],
    example: "Beijing is the capital of [MASK].",
  },
  {
    repository: "HuggingFaceTB/SmolLM2-135M",
    licence: "Apache 2.0",
    bytes: 271e6,
    gives: ["generate"],
  },
  {
    repository: "sentence-transformers/all-MiniLM-L6-v2",
    licence: "Apache 2.0",
    bytes: 91e6,
    gives: ["search"],
  },
  {
    repository: "facebook/esm2_t6_8M_UR50D",
    licence: "MIT",
    bytes: 31.4e6,
    gives: ["proteins"],
  },
];

/** Whom the page's policy lets it ask: the hub, and where the hub sends those who ask for large files. */
export const hubHosts = ["https://huggingface.co", "https://*.huggingface.co", "https://*.hf.co"] as const;
