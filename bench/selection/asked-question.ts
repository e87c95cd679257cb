import type { EvaluationQuestion } from '../../eval/datasets/dataset.ts';
import { recallAt } from '../../eval/metrics/retrieval-metrics.ts';
import { walkThrough } from '../../graphs/retrieval/global-selection/walk-through.ts';
import type { HierarchyView } from '../../src/hierarchy/traverse/hierarchy-view.ts';
import type { Embedder } from '../../src/inference/embedder.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';
import { type Found, GlobalSelection } from '../../src/retrieve/categories/categories.ts';
import type { System2Route } from '../../src/retrieve/categories/defaults.ts';
import { LocalSelector, NodeScores } from '../../src/retrieve/categories/local-selector.ts';
import { linkedRows, rankedLists } from '../../src/retrieve/categories/ranked-lists.ts';
import { readQuestion } from '../../src/retrieve/question.ts';
import type { SearchContext } from '../../src/retrieve/route.ts';
import type { System1Input } from '../../src/retrieve/similarity/similarity.ts';
import { TurnScores } from '../../src/retrieve/similarity/turn-scores.ts';
import { eligibleRows, timeView } from '../../src/retrieve/time-view.ts';
import { analyze } from '../../src/search/analyzer.ts';
import type { ScopeIndex } from '../../src/search/scope-index.ts';
import { entityNameKey } from '../../src/util/tidy.ts';
import type { RehearsedQuestion } from './rehearsed-picks.ts';

/** A memory with the data that all its questions need. */
export interface AskedMemory extends SearchContext {
  readonly view: HierarchyView;
  /** Ordinals of turns by their source ids. */
  readonly turnOf: ReadonlyMap<string, number>;
}

/** A question with the data that does not depend on the settings of its walk. */
export interface PreparedQuestion extends RehearsedQuestion {
  readonly asked: Omit<System1Input, 'depth'> & { readonly kindVector: Float32Array | null };
  /** Ordinals of turns. */
  readonly evidence: readonly number[];
}

/** Results of a selection; shares from 0 to 1. */
export interface Outcome {
  /**
   * Share of the evidence that mentions a selected entity, the upper bound for any ranking. Excludes the speakers,
   * which most turns mention.
   */
  readonly coverage: number;
  /** Share of the evidence among the first ten turns of System-2 alone. */
  readonly recall: number;
  readonly found: boolean;
}

/** Number of an evidence turn's entities by which a simulated model recognizes the answer. */
const ENTITIES_PER_EVIDENCE = 2;
const DEPTH = 200;
const NOW = timeView({ validity: 'current', asOf: null, now: Number.POSITIVE_INFINITY });

export async function prepare(
  memory: AskedMemory,
  { text, evidenceTurns }: EvaluationQuestion,
  { local: options }: System2Route,
): Promise<PreparedQuestion> {
  const { index, embedder, view } = memory;
  const question = readQuestion(text, index.episodes.timeline.liveSpeakerNames());
  const texts = [question.embedded, ...(question.kindWords === '' ? [] : [question.kindWords])];
  const [queryVector, kindVector = null] = await embedder.embed(texts, { as: 'query' });
  const eligible = eligibleRows(index, NOW);
  const features = { question, queryVector: queryVector!, embedder, eligible };
  const asked = { ...features, k: 10, index, kindVector, turnScores: new TurnScores(index, features) };
  const local = new LocalSelector(new NodeScores(index, view, asked), question.enumerates, options);
  const evidence = evidenceTurns.flatMap((id) => memory.turnOf.get(id) ?? []);
  const leading = [...namedIn(text, memory), ...evidence.flatMap((turn) => nearest(turn, memory, local))];
  const nearness = (lines: readonly string[]) => nearnessTo(queryVector!, lines, embedder);
  return { asked, evidence, view, local, wanted: withAncestors(leading, view), nearness };
}

/** Runs one walk and measures its results. */
export async function walkOnce(
  memory: SearchContext,
  { asked, evidence }: PreparedQuestion,
  route: System2Route,
): Promise<{ readonly found: Found; readonly usage: Usage; readonly outcome: Outcome }> {
  const selection = new GlobalSelection(memory, asked, route);
  const { walk, usage, ...ended } = await walkThrough(selection);
  const found = selection.found(walk, { ...ended, end: ended.end === 'late' ? 'failed' : ended.end });
  const { failure } = found.trace;
  if (failure !== null) throw new TypeError(`A walk failed: ${failure}`);
  const lists = rankedLists(found, { ...asked, depth: DEPTH });
  const ranked = (lists.episode[0]?.keys ?? []).map(String);
  const speakers = speakersOf(memory.index);
  const selected = found.selected.filter(({ id, layer }) => layer === 0 && !speakers.has(id));
  const reached = linkedRows(memory.index, selected, asked.eligible).turns.map(({ ordinal }) =>
    String(ordinal),
  );
  const wanted = evidence.map(String);
  return {
    found,
    usage,
    outcome: {
      coverage: recallAt(reached, wanted, reached.length)!,
      recall: recallAt(ranked, wanted, 10)!,
      found: ranked.length > 0,
    },
  };
}

/** The entities of a turn nearest to the question. */
function nearest(turn: number, { index, view }: AskedMemory, local: LocalSelector): readonly string[] {
  const speakers = speakersOf(index);
  return Array.from(index.graphs.mentions.neighbours(turn, 'out').ordinals, (entity) =>
    index.entities.ids.idOf(entity),
  )
    .flatMap((id) => (speakers.has(id) ? [] : (view.node(id) ?? [])))
    .map((node) => ({ id: node.id, score: local.score(node) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, ENTITIES_PER_EVIDENCE)
    .map(({ id }) => id);
}

/** Speakers whom the question names: a model picks them too. */
function namedIn(text: string, { index }: AskedMemory): readonly string[] {
  const terms = new Set(analyze(text));
  return [...speakersOf(index)].filter((id) => {
    const name = analyze(index.entities.profileOf(id)?.name ?? '');
    return name.length > 0 && name.every((term) => terms.has(term));
  });
}

/** Vectors of shown texts, cached by embedder, because lists repeat. */
const vectors = new WeakMap<Embedder, Map<string, Float32Array>>();

async function nearnessTo(
  query: Float32Array,
  texts: readonly string[],
  embedder: Embedder,
): Promise<readonly number[]> {
  const known = vectors.get(embedder) ?? new Map<string, Float32Array>();
  vectors.set(embedder, known);
  const fresh = [...new Set(texts)].filter((text) => !known.has(text));
  const made = fresh.length === 0 ? [] : await embedder.embed(fresh, { as: 'passage' });
  for (const [at, text] of fresh.entries()) known.set(text, made[at]!);
  return texts.map((text) => known.get(text)!.reduce((sum, value, at) => sum + value * query[at]!, 0));
}

const speakersByIndex = new WeakMap<ScopeIndex, ReadonlySet<string>>();

function speakersOf(index: ScopeIndex): ReadonlySet<string> {
  const known = speakersByIndex.get(index);
  if (known !== undefined) return known;
  const names = index.episodes.timeline.liveSpeakerNames();
  const ids = new Set<string>(names.flatMap((name) => index.entities.idsOfName(entityNameKey(name))));
  speakersByIndex.set(index, ids);
  return ids;
}

function withAncestors(ids: readonly string[], { categories }: HierarchyView): ReadonlySet<string> {
  const met = new Set(ids);
  // Children come before their parents.
  for (const { id, children } of categories) if (children.some((child) => met.has(child))) met.add(id);
  return met;
}
