import type { Unlink } from '../../model/graph-changes.ts';
import type { EntityId, SegmentId } from '../../model/ids.ts';
import { type Leaving, NOTHING_LEAVES } from '../admit/superseded-turns.ts';
import { CorrectionBook } from '../corrections/correction-book.ts';
import type { IngestContext } from '../ingest-context.ts';

export interface Reopening {
  /** Segments that give way to the new ones. */
  readonly segments: readonly SegmentId[];
  /** What was read from their turns. The turns themselves stay. */
  readonly leaving: Leaving;
  readonly unlinks: readonly Unlink[];
}

/**
 * What must go before turns are consolidated again: a corrected turn makes the others of its segment pending, since
 * all that was read from them together may now read otherwise. Facts that other turns bear out as well stay, and so
 * do those that a caller gave: nobody will read them again.
 */
export async function reopenSegments(
  { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
  episodes: readonly string[],
): Promise<Reopening> {
  const segments = [...new Set(episodes.flatMap((id) => index.segmentOf(id) ?? []))];
  if (segments.length === 0) return { segments, leaving: NOTHING_LEAVES, unlinks: [] };
  const { turnsWithoutText } = index.corrections;
  const turns = new Set<string>(
    segments.flatMap((segment) => index.turnsOf(segment)).filter((turn) => !turnsWithoutText.has(turn)),
  );
  const staying = await stayingFacts(
    { index, store, scope },
    [...turns].flatMap((turn) => index.factsEvidencedBy(turn)),
  );
  const [facts, entities, unlinks] = [new Set<string>(), new Set<EntityId>(), [] as Unlink[]];
  for (const turn of turns) {
    for (const entity of index.entitiesMentionedIn(turn)) {
      entities.add(entity);
      unlinks.push({ kind: 'MENTIONS', fromKind: 'episode', from: turn, toKind: 'entity', to: entity });
    }
    for (const fact of index.factsEvidencedBy(turn)) {
      if (staying.has(fact)) continue;
      for (const entity of index.entitiesOf(fact)) entities.add(entity);
      if (index.evidenceOf(fact).every((other) => turns.has(other))) facts.add(fact);
      else unlinks.push({ kind: 'EVIDENCED_BY', fromKind: 'fact', from: fact, toKind: 'episode', to: turn });
    }
  }
  return { segments, leaving: { episodes: turns, facts, entities }, unlinks };
}

async function stayingFacts(
  { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', [...new Set(ids)]);
  const book = CorrectionBook.of(index.corrections);
  return new Set(
    rows.filter(({ id, origin }) => origin === 'given' || book.isPinned(id)).map(({ id }) => id),
  );
}
