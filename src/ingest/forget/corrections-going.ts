import type { Correction } from '../../model/nodes.ts';
import { isAboutOnly, withoutNames } from '../correct/correction-detail.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { Going } from './going.ts';

export interface CorrectionsGoing {
  readonly going: ReadonlySet<string>;
  /** Those that stay without some names, under the ids that they have had. */
  readonly renewed: readonly Correction[];
}

export interface WhatGoes extends Pick<Going, 'allTurns' | 'facts'> {
  /** Entities of which nothing is left. */
  readonly entities: ReadonlySet<string>;
  /** Statements and names that go. */
  readonly texts: readonly string[];
  /** Of corrections that lose a summary, what is left of their details. */
  readonly details: ReadonlyMap<string, string>;
}

/**
 * Corrections that go: those about nothing that stays, and the undoing of such. Others lose the names that go. A forgetting under way stays, and so does the record of past ones, which holds no text.
 */
export async function correctionsGoing(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  goes: WhatGoes,
): Promise<CorrectionsGoing> {
  const candidates = index.rulings.corrections.filter(({ kind }) => kind !== 'forget' && kind !== 'retain');
  if (candidates.length === 0) return { going: new Set(), renewed: [] };
  const gone = new Set(goes.texts);
  const concerned = candidates.filter((each) => each.kind !== 'undo' && isConcerned(each, goes));
  const there = await rowsThere({ store, scope }, concerned);
  const stays = (id: string) =>
    there.has(id) && !goes.allTurns.has(id) && !goes.facts.has(id) && !goes.entities.has(id);
  const going = new Set<string>(
    candidates
      .filter((each) => isAboutOnly(each, gone) || (concerned.includes(each) && !each.targets.some(stays)))
      .map(({ id }) => id),
  );
  for (const { id, kind, targets } of candidates)
    if (kind === 'undo' && targets.some((target) => going.has(target))) going.add(id);
  const renewed = candidates.flatMap((each) => {
    if (going.has(each.id)) return [];
    const known = goes.details.get(each.id) ?? each.detail;
    const detail = withoutNames({ ...each, detail: known }, gone) ?? known;
    return detail === each.detail ? [] : [{ ...each, detail }];
  });
  return { going, renewed };
}

/** Entities that corrections bind to others: of one that was merged into another nothing but that is left. */
export function entitiesBoundTo(
  { index }: Pick<IngestContext, 'index'>,
  entities: Iterable<string>,
): ReadonlySet<string> {
  const { ids } = index.entities;
  const bound = new Set(entities);
  for (const { targets } of index.rulings.corrections)
    if (targets.some((id) => bound.has(id)))
      for (const id of targets) if (ids.ordinalOf(id) !== undefined) bound.add(id);
  return bound;
}

/** Of entities of which nothing is left, those that a correction ties to one that stays: merged ones have given it all. */
export function tiedToOthers(
  { index }: Pick<IngestContext, 'index'>,
  empty: ReadonlySet<string>,
): ReadonlySet<string> {
  const { ids } = index.entities;
  const tied = new Set<string>();
  for (const { targets } of index.rulings.corrections) {
    const entities = targets.filter((id) => ids.ordinalOf(id) !== undefined);
    if (!entities.every((id) => empty.has(id))) for (const id of entities) if (empty.has(id)) tied.add(id);
  }
  return tied;
}

function isConcerned({ targets }: Correction, { allTurns, facts, entities }: WhatGoes): boolean {
  return targets.some((id) => allTurns.has(id) || facts.has(id) || entities.has(id));
}

async function rowsThere(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  corrections: readonly Correction[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(corrections.flatMap(({ targets }) => targets))];
  const there = new Set<string>();
  if (ids.length === 0) return there;
  for (const kind of ['episode', 'fact', 'entity'] as const)
    for (const { id } of await store.get(scope, kind, ids)) there.add(id);
  return there;
}
