import type { ScopeIndex } from '../../search/scope-index.ts';
import { NONE } from '../../search/timeline.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { TurnToRead } from '../extract/extractor.ts';
import type { ReadOptions } from '../extract/segment-reader.ts';
import { estimateTokens } from '../segment/plan-units.ts';
import { type ConsolidationContext, type PlannedUnit, turnToRead } from './consolidation-context.ts';

/** docs/papers.md §1.1. */
const RECENT_TURNS = 10;
const RECENT_TOKENS = 1_000;
const MOST_NAMES = 30;
/** Runs of capitalised words, up to four. */
const CAPITALISED = /\p{Lu}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*){0,3}/gu;

type ReadingContext = Pick<ReadOptions, 'known' | 'names' | 'earlier' | 'recent'>;

/** What memory knows that helps to read units of one session; a bounded part of it, whatever memory holds. */
export async function readingContext(
  context: ConsolidationContext,
  units: readonly PlannedUnit[],
): Promise<ReadingContext> {
  const { index, profile } = context;
  const known = (name: string) => index.entities.idOfName(entityNameKey(name)) !== undefined;
  if (profile.tier === 'local') return { known };
  return {
    known,
    names: knownNames(index, units),
    earlier: await earlierSummary(context, units[0]!),
    ...(profile.reading === 'together' ? {} : { recent: await recentTurns(context, units[0]!) }),
  };
}

/** Names of memory that the turns say. */
function knownNames({ entities }: ScopeIndex, units: readonly PlannedUnit[]): string[] {
  const names = new Set<string>();
  for (const { content } of units.flatMap(({ episodes }) => episodes))
    for (const said of content.slice(0, 4_000).match(CAPITALISED) ?? [])
      for (const part of [said, ...said.split(/\s+/)]) {
        const id = entities.idOfName(entityNameKey(part));
        const profile = id === undefined ? undefined : entities.profileOf(id);
        if (profile !== undefined && names.size < MOST_NAMES) names.add(profile.name);
      }
  return [...names];
}

async function earlierSummary(
  { index, store, scope }: ConsolidationContext,
  { episodes }: PlannedUnit,
): Promise<string | undefined> {
  const { ids, timeline } = index.episodes;
  const ordinal = ids.ordinalOf(episodes[0]!.id);
  const before = ordinal === undefined ? NONE : timeline.previous.at(ordinal);
  const segment = before === NONE ? undefined : index.segmentOf(ids.idOf(before));
  return segment === undefined ? undefined : (await store.get(scope, 'segment', [segment]))[0]?.summary;
}

/** The turns of the scope that arrived just before these, the oldest first. */
async function recentTurns(
  { index, store, scope }: ConsolidationContext,
  { episodes }: PlannedUnit,
): Promise<TurnToRead[]> {
  const { ids, conversation } = index.episodes;
  const before: string[] = [];
  const first = ids.ordinalOf(episodes[0]!.id) ?? 0;
  for (let ordinal = first - 1; ordinal >= 0 && before.length < RECENT_TURNS; ordinal--)
    if (conversation.isLive(ordinal)) before.push(ids.idOf(ordinal));
  let left = RECENT_TOKENS;
  const newest = (await store.get(scope, 'episode', before)).map(turnToRead);
  const fitting = newest.findIndex((turn) => {
    left -= estimateTokens(turn);
    return left < 0;
  });
  return newest.slice(0, fitting === -1 ? newest.length : fitting).reverse();
}
