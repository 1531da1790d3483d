/** A formula of a .tex file: MathML made at build time, so that no reader of LaTeX is in the page. */
export function Formula({ mathml }: { mathml: string }) {
  return <div class="formula" dangerouslySetInnerHTML={{ __html: mathml }} />;
}
