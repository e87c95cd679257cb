import type { RouteTrace, UsageItem, WalkTrace, Why, WhyItem } from '../../../main/contract.ts';
import type { Vote } from '../../../src/model/retrieved-item.ts';
import { formatDollars, formatSpent, shortNumber, text } from '../../strings/text.ts';

/** How an answer came about, in one word. `unknown`: its record is missing. */
export type WhyState = 'found' | 'nothing' | 'private' | 'unknown';

export function stateOf(why: Why, isPrivate: boolean): WhyState {
  if (why.items.length > 0) return 'found';
  if (isPrivate) return 'private';
  return why.routes.length === 0 ? 'unknown' : 'nothing';
}

/** "Found by similarity and by the categories: 12 pieces of evidence, 3 cited, in 8 ms." */
export function leadOf({ routes, items, milliseconds }: Why): string {
  const found = routes
    .filter(({ end }) => end === 'found')
    .map(({ route }) => text.memory.routes[route]?.by ?? route);
  // The routes of an older record may be missing; the votes name them too.
  const voted = items.flatMap(({ votes }) =>
    votes.map(({ route }) => text.memory.routes[route]?.by ?? route),
  );
  return text.memory.why.lead({
    by: [...new Set(found.length > 0 ? found : voted)],
    pieces: items.length,
    cited: citedOf(items).length,
    took: formatMilliseconds(milliseconds),
  });
}

/** The evidence that the answer cites, by its number, and the rest by rank. */
export const citedOf = (items: readonly WhyItem[]): readonly WhyItem[] =>
  items.filter(({ cited }) => cited !== null).sort((a, b) => a.cited! - b.cited!);
export const uncitedOf = (items: readonly WhyItem[]): readonly WhyItem[] =>
  items.filter(({ cited }) => cited === null);

/** A piece of evidence as a bar of a chart. */
export interface Bar {
  readonly id: string;
  readonly cited: number | null;
  /** From 0 to 1. */
  readonly height: number;
}

const LOWEST_BAR = 0.12;

/**
 * Bars by strength, the strongest first. Scores of turns, facts and names are not comparable, and those of one kind
 * differ little: each kind reaches from its weakest to its strongest.
 */
export function barsOf(items: readonly WhyItem[]): readonly Bar[] {
  const scores = new Map<string, number[]>();
  for (const { kind, score } of items) scores.set(kind, [...(scores.get(kind) ?? []), score]);
  return items
    .map(({ id, kind, score, cited }) => {
      const [least, most] = [Math.min(...scores.get(kind)!), Math.max(...scores.get(kind)!)];
      const share = most > least ? (score - least) / (most - least) : 1;
      return { id, cited, height: LOWEST_BAR + (1 - LOWEST_BAR) * share };
    })
    .sort((a, b) => b.height - a.height);
}

/** One layer of a walk: all lists of the layer together. */
export interface WalkLayer {
  readonly layer: number;
  readonly offered: number;
  readonly picked: number;
  readonly picks: readonly { readonly name: string; readonly all: boolean }[];
  /** Names that were offered and not picked, as far as they were kept. */
  readonly passed: readonly string[];
}

/** The layers of a walk from the top down, as a person reads them. */
export function layersOf({ steps }: WalkTrace): readonly WalkLayer[] {
  const layers = new Map<number, WalkLayer>();
  for (const { layer, offered, picked, picks, names } of steps) {
    const known = layers.get(layer) ?? { layer, offered: 0, picked: 0, picks: [], passed: [] };
    const chosen = new Set([...known.picks, ...picks].map(({ name }) => name));
    layers.set(layer, {
      layer,
      offered: known.offered + offered,
      picked: known.picked + picked,
      picks: distinct([...known.picks, ...picks]),
      passed: [...new Set([...known.passed, ...names])].filter((name) => !chosen.has(name)),
    });
  }
  return [...layers.values()].sort((a, b) => b.layer - a.layer);
}

function distinct(picks: WalkLayer['picks']): WalkLayer['picks'] {
  const byName = new Map<string, WalkLayer['picks'][number]>();
  for (const pick of picks) if (!byName.get(pick.name)?.all) byName.set(pick.name, pick);
  return [...byName.values()];
}

export const routeName = (route: string): string => text.memory.routes[route]?.name ?? route;
/** The list that a vote comes from, in words; of a second reading the list is the name of its model. */
export function voteName({ route, list }: Pick<Vote, 'route' | 'list'>): string {
  return route === 'rerank' ? routeName(route) : (text.memory.lists[list]?.name ?? routeName(route));
}
export function voteAbout({ route, list }: Pick<Vote, 'route' | 'list'>): string {
  const known = route === 'rerank' ? undefined : text.memory.lists[list];
  return known?.about ?? text.memory.routes[route]?.about ?? list;
}

/** How strong a place is, from 0 to 1: first place fills the bar, and each later one somewhat less. */
export const strengthOf = (rank: number): number => 1 / Math.sqrt(Math.max(1, rank));

/** Why a route ended as it did, as a sentence; null if there is nothing to say. */
export function reasonOf({ end, notes, failure }: RouteTrace): string | null {
  const said = end === 'found' ? [] : [...notes, ...(failure === null ? [] : [failure])];
  const [first] = said;
  if (first === undefined) return null;
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
}

/** "<1 ms", "8 ms", "1.2 s". */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 1) return '<1 ms';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

export function formatScore(score: number): string {
  const size = Math.abs(score);
  return score.toFixed(size >= 100 ? 0 : size >= 1 ? 2 : 4);
}

/** What an answer used: "This answer: no model, 240 ms". */
export function usedText({ model, calls, milliseconds, cost, ...tokens }: UsageItem): string {
  const words = text.backup.used;
  const all = tokens.promptTokens + tokens.completionTokens;
  return words.answer([
    model ?? words.noModel,
    ...(calls === 0 ? [] : [words.calls(calls), words.answerTokens(shortNumber(all))]),
    ...(milliseconds === null ? [] : [formatSpent(milliseconds)]),
    ...(cost === null || cost === 0 ? [] : [formatDollars(cost)]),
  ]);
}
