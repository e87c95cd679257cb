import { blocksOf, type DocumentedBlock, documentedBlocks } from './documented-blocks.ts';

/** A reason follows the colon. The types of such a block are checked all the same. */
const NOT_RUN = /^not run: \S/;
const RUNS = /^runs(?: with the embedder (\w+))?$/;
/** It runs beside a framework that a checkout does not have: `npm run peers`. */
const RUNS_IN = /^runs in (\S+)$/;
/** The block goes on with the program of the block before it that runs. */
const RUNS_ON = 'runs on';

export interface DocumentedExample {
  /** Such as `docs/langchain.md:12`. */
  readonly name: string;
  readonly code: string;
  /** What it prints, where the document shows it: see `isShown`. */
  readonly output: string | null;
}

/** The TypeScript programs of the README and of `docs/` that are marked to run. */
export function documentedExamples(): readonly DocumentedExample[] {
  return programsOf(documentedBlocks());
}

/** The TypeScript programs that run beside a framework, by the name of its package. */
export function frameworkExamples(framework: string): readonly string[] {
  return documentedBlocks()
    .filter(({ language, mark }) => language === 'ts' && RUNS_IN.exec(mark ?? '')?.[1] === framework)
    .map(({ code }) => code);
}

/** TypeScript that is a part of a program, or needs what a test does not have: its types are checked. */
export function documentedFragments(): readonly DocumentedExample[] {
  return documentedBlocks()
    .filter(({ language, mark }) => language === 'ts' && mark !== null && NOT_RUN.test(mark))
    .map(({ place, code }) => ({ name: place, code, output: null }));
}

/**
 * TypeScript blocks under the comment `<!-- runs -->`, or `<!-- runs with the embedder NAME -->` in place of its own, each
 * with the blocks under `<!-- runs on -->` that follow it.
 */
export function examplesOf(markdown: string): string[] {
  return programsOf(blocksOf(markdown, '')).map(({ code }) => code);
}

function programsOf(blocks: readonly DocumentedBlock[]): DocumentedExample[] {
  const programs: DocumentedExample[] = [];
  for (const { language, mark, place, code, output } of blocks) {
    if (language !== 'ts' || mark === null) continue;
    const [isMarked, embedder] = RUNS.exec(mark) ?? [];
    const last = programs.at(-1);
    if (isMarked !== undefined) {
      const own = embedder === undefined ? code : code.replace(/name: '[^']+'/, `name: '${embedder}'`);
      programs.push({ name: place, code: own, output });
    } else if (mark === RUNS_ON && last !== undefined) {
      const printed = last.output === null && output === null ? null : `${last.output ?? ''}${output ?? ''}`;
      programs[programs.length - 1] = { ...last, code: `${last.code}\n${code}`, output: printed };
    }
  }
  return programs;
}

/** Whether `printed` is what a document shows. `…` in the document stands for any text of its line. */
export function isShown(shown: string, printed: string): boolean {
  const pattern = shown
    .trimEnd()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
}

/** Whether a block says how it is treated. */
export function isMarked({ mark }: DocumentedBlock): boolean {
  return mark !== null && (mark === RUNS_ON || [RUNS, RUNS_IN, NOT_RUN].some((each) => each.test(mark)));
}
