/** Reasons why a template is not rendered; renderChat and encodeChat put them into their words. */

/** The template lacks something, asks for something that is not done, or takes more than it may. */
export class TemplateRefused extends Error {}

/** The template called raise_exception: it refuses the messages. */
export class TemplateRaised extends Error {
  /** Tells it from others where the class is that of another bundle. */
  readonly raised = true;
}
