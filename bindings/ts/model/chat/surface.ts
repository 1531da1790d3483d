/** Messages of a conversation and what a model's template makes of them: what a caller sees. */

/** A message. Other members, such as `tool_calls` and `name`, reach the template under their names. */
export interface ChatMessage {
  /** "system", "user", "assistant", "tool", or another one that the template knows. */
  role: string;
  /**
   * A text, or parts such as `{ type: "text", text }` where the template takes them. null counts as an empty text. Most
   * templates need it, unless there are `tool_calls`.
   */
  content?: string | readonly { type: string; [key: string]: unknown }[] | null | undefined;
  [key: string]: unknown;
}

export interface ChatTemplateOptions {
  /** Ends the text where the model's answer begins. Default true, and false with `continueFinalMessage`. */
  addGenerationPrompt?: boolean | undefined;
  /** Ends the text within the last message, which the model continues. Default false. */
  continueFinalMessage?: boolean | undefined;
  /** Functions that the model may call, as JSON schemas: `{ type: "function", function: { name, description, parameters } }`. */
  tools?: readonly object[] | undefined;
  /** Texts that the answer shall rest on, for templates that read them. */
  documents?: readonly object[] | undefined;
  /** The name of one of several templates. Default: "tool_use" where there are tools and such a template, else "default". */
  template?: string | undefined;
  /** Other variables that the template reads, such as enable_thinking. They are the program's own: `trustContent` is not about them. */
  variables?: Readonly<Record<string, unknown>> | undefined;
}
