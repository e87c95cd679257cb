import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FENCE = /^```(\S*)\s*$/;
const COMMENT = /^<!-- (.+) -->$/;

/** A fenced block of a document. */
export interface DocumentedBlock {
  /** Such as `docs/langchain.md:12`: the line of its fence. */
  readonly place: string;
  readonly file: string;
  /** As the fence names it; empty where it names none. */
  readonly language: string;
  readonly code: string;
  /** The comment on the line above, such as `runs` or `not run: needs a server`; null where there is none. */
  readonly mark: string | null;
  /** What the block prints: the `text` block that follows with nothing but empty lines between them. */
  readonly output: string | null;
  /** Whether it is the output of the block before. */
  readonly isOutput: boolean;
}

/** Documents whose blocks are checked: the README, the contributor's guide, and all pages of `docs/`. */
export function documents(): readonly string[] {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
    .map((name) => `docs/${name}`);
  return ['README.md', 'CONTRIBUTING.md', ...pages.toSorted()];
}

export function documentedBlocks(): readonly DocumentedBlock[] {
  return documents().flatMap((file) => blocksOf(readFileSync(join(ROOT, file), 'utf8'), file));
}

/** @param file - The name that `place` gives to the document. */
export function blocksOf(markdown: string, file: string): DocumentedBlock[] {
  const lines = markdown.split('\n');
  const found: DocumentedBlock[] = [];
  /** The line after the block found last. */
  let after = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const language = FENCE.exec(lines[at]!)?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new RangeError(`${file}:${at + 1}: the block does not end`);
    const code = `${lines.slice(at + 1, end).join('\n')}\n`;
    const last = found.at(-1);
    const isOutput =
      language === 'text' && last !== undefined && lines.slice(after, at).every((line) => line === '');
    if (isOutput) found[found.length - 1] = { ...last, output: code };
    const mark = COMMENT.exec(lines[at - 1] ?? '')?.[1] ?? null;
    found.push({ place: `${file}:${at + 1}`, file, language, code, mark, output: null, isOutput });
    [at, after] = [end, end + 1];
  }
  return found;
}
