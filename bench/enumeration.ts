import type { CategoryTree } from '../src/engine/hierarchy/browse-hierarchy.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import { Mnemis } from '../src/engine.ts';
import { type Enumeration, type EnumerationCorpus, enumerationCorpus } from './enumeration-turns.ts';
import { inTemporaryFolder, round, SCOPE } from './temporary-memory.ts';

export interface EnumerationOptions {
  /** Turns without any member. */
  readonly unrelated: number;
  readonly seed: number;
  readonly recipes: readonly string[];
}

/** Length of the lists. */
const MOST_TURNS = 100;

/** Recall, from 0 to 1: with a budget of as many turns as there are members, and of twice as many. */
interface Recall {
  readonly once: number;
  readonly twice: number;
}

/**
 * Recall of enumerating questions within a budget, by recipe: things of one kind that a speaker named one by one in
 * long turns about something else (local tier, no model).
 */
export async function benchEnumeration({ unrelated, seed, recipes }: EnumerationOptions) {
  const corpus = enumerationCorpus({ unrelated, seed });
  return inTemporaryFolder(async (path) => {
    const engine = await Mnemis.open({ path });
    const memory = engine.scope(SCOPE);
    const seconds = await fill(memory, corpus);
    const { layers } = await memory.hierarchy.status();
    const names = namesIn(await memory.hierarchy.tree());
    const results = [];
    for (const recipe of recipes) results.push(await recallOf(memory, corpus.enumerations, recipe));
    await engine.close();
    return {
      turns: corpus.turns.length,
      seed,
      seconds: round(seconds),
      layers,
      enumerations: corpus.enumerations.map(({ kind, question, members }) => ({
        kind,
        question,
        members: members.length,
        // Upper bound for a walk down the hierarchy.
        inHierarchy: round(share(members, (member) => names.has(member.toLowerCase()))),
      })),
      results,
    };
  });
}

async function fill(memory: MemoryScope, { turns }: EnumerationCorpus): Promise<number> {
  const started = performance.now();
  const records = turns.map((turn) => ({ kind: 'turn' as const, turn, where: turn.sourceId! }));
  for await (const event of memory.import(records))
    if (event.type === 'rejected') throw new TypeError(`A turn was rejected: ${event.reason}`);
  await memory.flush();
  await memory.hierarchy.update();
  return (performance.now() - started) / 1000;
}

function namesIn(trees: readonly CategoryTree[]): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [...trees];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    if (tree.layer === 0) names.add(tree.name.toLowerCase());
    open.push(...(tree.children ?? []));
  }
  return names;
}

async function recallOf(memory: MemoryScope, enumerations: readonly Enumeration[], recipe: string) {
  const kinds: Record<string, Recall> = {};
  const counts = { members: 0, once: 0, twice: 0 };
  for (const { kind, question, evidence } of enumerations) {
    const k = Math.min(MOST_TURNS, 2 * evidence.length);
    const { episodes } = await memory.search(question, { k, recipe });
    const found = episodes.map(({ sourceId }) => sourceId);
    const within = (budget: number) => new Set(found.slice(0, budget));
    const [first, all] = [within(evidence.length), within(k)];
    const once = evidence.filter((id) => first.has(id)).length;
    const twice = evidence.filter((id) => all.has(id)).length;
    kinds[kind] = { once: round(once / evidence.length), twice: round(twice / evidence.length) };
    counts.members += evidence.length;
    counts.once += once;
    counts.twice += twice;
  }
  const { members, once, twice } = counts;
  const overall: Recall = { once: round(once / members), twice: round(twice / members) };
  return { recipe, overall, kinds };
}

function share<T>(values: readonly T[], isSo: (value: T) => boolean): number {
  return values.filter(isSo).length / values.length;
}
