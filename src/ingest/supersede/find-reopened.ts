import type { FactId, Milliseconds } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import { groupBy } from '../../util/group-by.ts';
import type { IngestContext } from '../ingest-context.ts';

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** A fact of memory that ends otherwise now that others leave. */
export interface ReopenedFact {
  readonly id: FactId;
  readonly invalidAt: Milliseconds | null;
  /** Facts that have superseded it, those that leave among them. */
  readonly supersededBy: ReadonlySet<string>;
}

/**
 * Facts that others had ended which leave now: with a turn that was corrected or forgotten goes what it ended. A fact
 * ends by the earliest of the superseding ones that are left and of the end that it came with, else not at all. What a
 * leaving fact had corrected stays expired.
 *
 * @param leaving Facts that go in the same commit.
 */
export async function findReopened(
  { store, scope }: Sources,
  leaving: ReadonlySet<string>,
): Promise<ReopenedFact[]> {
  const edges = leaving.size === 0 ? [] : await supersedes({ store, scope }, { from: [...leaving] });
  const olds = [...new Set(edges.map(({ to }) => to))].filter((id) => !leaving.has(id));
  if (olds.length === 0) return [];
  const all = groupBy(await supersedes({ store, scope }, { to: olds }), ({ to }) => to);
  const newer = new Set([...all.values()].flat().map(({ from }) => from));
  const byId = new Map<string, Fact>(
    (await store.get(scope, 'fact', [...newer])).map((fact) => [fact.id, fact]),
  );
  return (await store.get(scope, 'fact', olds)).flatMap((old): ReopenedFact[] => {
    const by = (all.get(old.id) ?? []).flatMap(({ from }) => byId.get(from) ?? []);
    const left = by.filter(({ id, expiredAt }) => !leaving.has(id) && expiredAt === null);
    const gone = by.filter(({ id }) => leaving.has(id));
    if (old.expiredAt !== null || !gone.some((fact) => endBy(old, fact) === old.invalidAt)) return [];
    const ends = left.map((fact) => endBy(old, fact));
    if (old.statedEnd !== null) ends.push(old.statedEnd);
    const invalidAt = ends.length === 0 ? null : Math.min(...ends);
    if (invalidAt === old.invalidAt) return [];
    return [{ id: old.id, invalidAt, supersededBy: new Set(by.map(({ id }) => id)) }];
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
