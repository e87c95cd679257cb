import { existsSync } from 'node:fs';
import type { EvaluationQuestion } from '../eval/datasets/dataset.ts';
import { readLocomoDataset } from '../eval/datasets/locomo.ts';
import { HierarchyView } from '../src/hierarchy/traverse/hierarchy-view.ts';
import type { SearchContext } from '../src/retrieve/route.ts';
import { askWithLevers, type LeverFigures } from './selection/ask-with-levers.ts';
import { type AskedMemory, type PreparedQuestion, prepare } from './selection/asked-question.ts';
import { type CasePart, caseParts, placesOf } from './selection/case-parts.ts';
import { leversFor } from './selection/levers.ts';
import { LineCounter } from './selection/line-counter.ts';
import { inMemoryOf } from './selection/selection-memory.ts';
import {
  cheapestLevers,
  type Measured,
  type MemorySize,
  type SelectionReport,
  type SelectionRow,
  summaryOf,
} from './selection/selection-report.ts';
import { randomNumbers } from './synthetic-turns.ts';

export interface GlobalSelectionOptions {
  /** A file in LoCoMo's format. */
  readonly data: string;
  /** The most questions per memory. */
  readonly questions: number;
  readonly seed: number;
}

/** Numbers of first sessions of a conversation, in addition to whole conversations and all of them together. */
const SIZES = [1, 3, 10, 20];

/**
 * Cost and coverage of Global Selection by size of memory and settings of the walk, with a simulated model: prompts,
 * splits and counts are the real ones; picks come from the evidence, from the shown lines, or from the local selector.
 * Null without the data, which is not part of the repository.
 */
export async function benchGlobalSelection(options: GlobalSelectionOptions): Promise<SelectionReport | null> {
  if (!existsSync(options.data)) return null;
  const { cases } = await readLocomoDataset(options.data);
  const counter = new LineCounter();
  const sizes = new Map<string, MemorySize[]>();
  const figures = new Figures();
  for (const part of caseParts(cases, SIZES)) {
    const questions = sample(part.questions, options);
    if (questions.length === 0) continue;
    process.stderr.write(`${part.size}: ${part.turns.length} turns, ${questions.length} questions\n`);
    const levers = leversFor(part.isWhole);
    await inMemoryOf(part.turns, async (context) => {
      const memory = askedMemory(context, part);
      sizes.set(part.size, [...(sizes.get(part.size) ?? []), describe(memory, { part, questions })]);
      const prepared: PreparedQuestion[] = [];
      for (const question of questions) prepared.push(await prepare(memory, question, levers[0]!.route));
      figures.add(part.size, await askWithLevers(memory, prepared, { levers, counter }));
    });
  }
  const rows = figures.rows();
  return {
    questionsPerMemory: options.questions,
    seed: options.seed,
    sizes: Array.from(sizes.values(), ofOneSize),
    rows,
    cheapest: cheapestLevers(rows),
  };
}

/** Pools the questions of memories of one size. */
class Figures {
  readonly #all = new Map<string, Pick<SelectionRow, 'size' | 'rehearsal' | 'lever'> & { all: Measured[] }>();

  add(size: string, figures: readonly LeverFigures[]): void {
    for (const { rehearsal, lever, all } of figures) {
      const key = JSON.stringify([size, rehearsal, lever]);
      const before = this.#all.get(key) ?? { size, rehearsal, lever, all: [] };
      before.all.push(...all);
      this.#all.set(key, before);
    }
  }

  rows(): SelectionRow[] {
    return Array.from(this.#all.values(), ({ all, ...row }) => ({ ...row, ...summaryOf(all) }));
  }
}

function askedMemory(context: SearchContext, { turns }: CasePart): AskedMemory {
  const { index } = context;
  const { timeline, ids } = index.episodes;
  const sources = placesOf(turns);
  const turnOf = new Map<string, number>();
  for (let turn = 0; turn < ids.length; turn++) {
    const session = timeline.sessions[timeline.session.at(turn)]!;
    const source = sources.get(JSON.stringify([session, timeline.index.at(turn)]));
    if (source !== undefined) turnOf.set(source, turn);
  }
  if (turnOf.size !== turns.length)
    throw new TypeError(`${turns.length - turnOf.size} turns are not in memory`);
  return { ...context, view: new HierarchyView(index, () => true), turnOf };
}

function describe(
  { view, index }: AskedMemory,
  { part, questions }: { part: CasePart; questions: readonly EvaluationQuestion[] },
): MemorySize {
  const below = new Set(view.categories.flatMap(({ children }) => children));
  const entities = [...below].filter((id) => view.node(id)!.layer === 0).length;
  if (entities === 0) throw new TypeError(`${part.size}: nothing was read of ${index.episodes.length} turns`);
  return {
    size: part.size,
    memories: 1,
    questions: questions.length,
    turns: part.turns.length,
    entities,
    categories: view.categories.length,
    topNodes: view.top.length,
  };
}

/** Means over memories, except the counts of memories and questions. */
function ofOneSize(memories: readonly MemorySize[]): MemorySize {
  const mean = (of: (memory: MemorySize) => number) =>
    Math.round(memories.reduce((sum, memory) => sum + of(memory), 0) / memories.length);
  return {
    size: memories[0]!.size,
    memories: memories.length,
    questions: memories.reduce((sum, { questions }) => sum + questions, 0),
    turns: mean(({ turns }) => turns),
    entities: mean(({ entities }) => entities),
    categories: mean(({ categories }) => categories),
    topNodes: mean(({ topNodes }) => topNodes),
  };
}

/** Samples the list evenly, from a start chosen by the seed. */
function sample<T>(
  all: readonly T[],
  { questions, seed }: Pick<GlobalSelectionOptions, 'questions' | 'seed'>,
): readonly T[] {
  if (all.length <= questions) return all;
  const step = all.length / questions;
  const first = randomNumbers(seed)() * step;
  return Array.from({ length: questions }, (_, at) => all[Math.floor(first + at * step)]!);
}
