import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export interface DocumentedExample {
  /** Such as `docs/langchain.md 2`. */
  readonly name: string;
  readonly code: string;
}

/** The TypeScript examples of the README and of `docs/` that are marked to run. */
export function documentedExamples(): readonly DocumentedExample[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)].flatMap((file) =>
    examplesOf(readFileSync(join(ROOT, file), 'utf8')).map((code, at) => ({
      name: `${file} ${at + 1}`,
      code,
    })),
  );
}

/** TypeScript blocks under the comment `<!-- runs -->`, or `<!-- runs with the embedder NAME -->` in place of its own. */
export function examplesOf(markdown: string): string[] {
  const blocks = markdown.matchAll(/<!-- runs(?: with the embedder (\w+))? -->\s*```ts\n([\s\S]*?)```/g);
  return [...blocks].map(([, embedder, code]) =>
    embedder === undefined ? code! : code!.replace(/name: '[^']+'/, `name: '${embedder}'`),
  );
}
