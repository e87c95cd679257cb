import type { RowUpdate } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import { groupBy } from '../../util/group-by.ts';
import type { IngestContext } from '../ingest-context.ts';

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/**
 * Takes back the ends that leaving facts gave others: with a turn that was corrected or forgotten goes what it ended.
 * A fact ends by the earliest of the superseding ones that are left, else not at all; an end that it came with before
 * one of them moved it forward is not on record. What a leaving fact had corrected stays expired.
 */
export async function reopenEnds(
  { store, scope }: Sources,
  leaving: ReadonlySet<string>,
): Promise<RowUpdate[]> {
  const edges = leaving.size === 0 ? [] : await supersedes({ store, scope }, { from: [...leaving] });
  const olds = [...new Set(edges.map(({ to }) => to))].filter((id) => !leaving.has(id));
  if (olds.length === 0) return [];
  const all = groupBy(await supersedes({ store, scope }, { to: olds }), ({ to }) => to);
  const newer = new Set([...all.values()].flat().map(({ from }) => from));
  const byId = new Map<string, Fact>(
    (await store.get(scope, 'fact', [...newer])).map((fact) => [fact.id, fact]),
  );
  return (await store.get(scope, 'fact', olds)).flatMap((old): RowUpdate[] => {
    const by = (all.get(old.id) ?? []).flatMap(({ from }) => byId.get(from) ?? []);
    const left = by.filter(({ id, expiredAt }) => !leaving.has(id) && expiredAt === null);
    const gone = by.filter(({ id }) => leaving.has(id));
    if (old.expiredAt !== null || !gone.some((fact) => endBy(old, fact) === old.invalidAt)) return [];
    const ends = left.map((fact) => endBy(old, fact));
    const invalidAt = ends.length === 0 ? null : Math.min(...ends);
    return invalidAt === old.invalidAt ? [] : [{ kind: 'fact', id: old.id, set: { invalidAt } }];
  });
}

async function supersedes({ store, scope }: Sources, filter: { from?: string[]; to?: string[] }) {
  const edges: { readonly from: string; readonly to: string }[] = [];
  for await (const batch of store.relationships(scope, 'SUPERSEDES', filter)) edges.push(...batch);
  return edges;
}

function endBy({ validAt }: Fact, by: Fact): Milliseconds {
  return Math.max(validAt, by.validAt);
}
