import { EffectiveCorrections } from '../ingest/corrections/effective-corrections.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { EpisodeId, FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import type { ScopeIndex } from '../search/scope-index.ts';

/** A turn that supports a fact. */
export interface FactSource {
  readonly episode: EpisodeId;
  readonly session: string;
  readonly index: number;
}

/** A live fact as a list shows it. */
export interface FactLine {
  readonly id: FactId;
  readonly statement: string;
  /** When it began to hold; the same as `saidAt` where the turn names no date. */
  readonly validAt: Milliseconds;
  /** When the time begins that the statement itself mentions; null without one. */
  readonly eventAt: Milliseconds | null;
  /** When the first of its turns was said; null without a turn. */
  readonly saidAt: Milliseconds | null;
  /** When it ceases to hold; null without an end. */
  readonly invalidAt: Milliseconds | null;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly isPinned: boolean;
  /** At most 20, the first to arrive first. */
  readonly sources: readonly FactSource[];
}

const MOST_SOURCES = 20;

/** Facts by id, in the order of the ids. Those that no longer exist, or have expired, are left out. */
export async function factLines(context: IndexedScope, ids: readonly string[]): Promise<FactLine[]> {
  if (ids.length === 0) return [];
  const rows = await context.store.get(context.scope, 'fact', ids);
  return factLinesOf(
    context,
    rows.filter(({ expiredAt }) => expiredAt === null),
  );
}

/** Rows as lines, in their order. Of a fact that has expired, the index does not have the sources. */
export function factLinesOf({ index }: Pick<IndexedScope, 'index'>, rows: readonly Fact[]): FactLine[] {
  const book = EffectiveCorrections.of(index.corrections);
  return rows.map(({ id, statement, validAt, event, invalidAt, confidence }) => ({
    id,
    statement,
    validAt,
    eventAt: event?.start ?? null,
    invalidAt,
    confidence,
    saidAt: saidFirst(index, id),
    isPinned: book.isPinned(id),
    sources: sourcesOf(index, id),
  }));
}

function saidFirst(index: ScopeIndex, fact: string): Milliseconds | null {
  const { ids, timeline } = index.episodes;
  const times = index.evidenceOf(fact).map((episode) => timeline.validAt.at(ids.ordinalOf(episode)!));
  return times.length === 0 ? null : times.reduce((first, at) => Math.min(first, at));
}

function sourcesOf(index: ScopeIndex, fact: string): FactSource[] {
  const { ids, timeline } = index.episodes;
  return index
    .evidenceOf(fact)
    .slice(0, MOST_SOURCES)
    .map((episode) => {
      const turn = ids.ordinalOf(episode)!;
      const session = timeline.sessions[timeline.session.at(turn)]!;
      return { episode, session, index: timeline.index.at(turn) };
    });
}
