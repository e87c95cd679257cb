/** A block of code, and what it prints. */
export interface DocumentedStep {
  readonly code: string;
  readonly output: string;
}

/** The JavaScript blocks of a document, each with the block of output that may follow. */
export function sessionOf(markdown: string): readonly DocumentedStep[] {
  const blocks = markdown.matchAll(/```js\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g);
  return [...blocks].map(([, code, output = '']) => ({ code: code!, output }));
}
