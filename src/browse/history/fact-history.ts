import { type CorrectionRecord, describeCorrection } from '../../edit/correct/describe-correction.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { EpisodeId, FactId, Milliseconds, Scope } from '../../model/ids.ts';
import type { Correction, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { everHeld, hasEnded } from '../../util/validity.ts';
import { compare, type Page, type PageRequest, pageOf } from './page.ts';

/** The sources of a history. */
export interface HistoryContext {
  readonly store: Pick<GraphStore, 'get' | 'scan' | 'relationships'>;
  readonly scope: Scope;
  readonly clock: () => Milliseconds;
}

/** Corrections that changed or created one of these facts or entities; the oldest first. */
export async function correctionsOf(
  { store, scope }: HistoryContext,
  ids: ReadonlySet<string>,
): Promise<readonly CorrectionRecord[]> {
  const rows = new Map<string, Correction>();
  for await (const batch of store.scan(scope, 'correction')) for (const row of batch) rows.set(row.id, row);
  const place = ({ createdAt, id }: Correction) => ({ at: createdAt, createdAt, id });
  return [...rows.values()]
    .sort((a, b) => compare(place(a), place(b)))
    .map((row) => describeCorrection(row, (id) => rows.get(id)))
    .filter(({ about, made }) => about.some((id) => ids.has(id)) || (made !== null && ids.has(made)));
}

/** A turn that supports a fact. */
export interface EvidenceTurn {
  readonly episode: EpisodeId;
  readonly session: string;
  readonly index: number;
  readonly speaker: string;
  readonly saidAt: Milliseconds;
  /** When a corrected version superseded the turn; null while it is current. */
  readonly expiredAt: Milliseconds | null;
}

/** A fact with valid time, system time, what ended it, and its evidence. */
export interface FactVersion extends Omit<Fact, 'kind'> {
  readonly factKind: Fact['kind'];
  /** Facts that it superseded, and those that superseded it; both oldest first. */
  readonly supersedes: readonly FactId[];
  readonly supersededBy: readonly FactId[];
  /** `ended`: a newer fact holds since; `corrected`: it never held; `withdrawn`: removed with its turns. */
  readonly state: 'current' | 'ended' | 'corrected' | 'withdrawn';
  /** The oldest pieces of evidence. */
  readonly evidence: readonly EvidenceTurn[];
  readonly evidenceCount: number;
}

const MOST_EVIDENCE = 20;

/** The SUPERSEDES edges of a scope. They are few compared with its facts, so all are read at once. */
export interface Supersessions {
  readonly newer: ReadonlyMap<string, readonly string[]>;
  readonly older: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the SUPERSEDES edges of a scope. `newer` leads from a fact to those that superseded it, `older` to those that it
 * superseded.
 */
export async function supersessionsOf({ store, scope }: HistoryContext): Promise<Supersessions> {
  const [newer, older] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for await (const batch of store.relationships(scope, 'SUPERSEDES'))
    for (const { from, to } of batch) {
      newer.set(to, [...(newer.get(to) ?? []), from]);
      older.set(from, [...(older.get(from) ?? []), to]);
    }
  return { newer, older };
}

/** Converts rows to versions, in their order. */
export async function factVersions(
  context: HistoryContext,
  facts: readonly Fact[],
  { newer, older }: Supersessions,
): Promise<FactVersion[]> {
  const evidence = await evidenceOf(
    context,
    facts.map(({ id }) => id),
  );
  const others = facts.flatMap(({ id }) => [...(newer.get(id) ?? []), ...(older.get(id) ?? [])]);
  const rows = await context.store.get(context.scope, 'fact', [...new Set(others)]);
  const known = new Map<string, Fact>(rows.map((row) => [row.id, row]));
  const inOrder = (ids: readonly string[] = []) =>
    ids
      .flatMap((id) => known.get(id) ?? [])
      .sort((a, b) => compare(placeOf(a), placeOf(b)))
      .map(({ id }) => id);
  const now = context.clock();
  return facts.map(({ kind: factKind, ...fact }) => {
    const turns = evidence.get(fact.id) ?? [];
    const supersededBy = inOrder(newer.get(fact.id));
    return {
      ...fact,
      factKind,
      supersedes: inOrder(older.get(fact.id)),
      supersededBy,
      state: stateOf(fact, { isSuperseded: supersededBy.length > 0, now }),
      evidence: turns.slice(0, MOST_EVIDENCE),
      evidenceCount: turns.length,
    };
  });
}

/** The sort key by validity. */
export function placeOf({ validAt: at, createdAt, id }: Pick<Fact, 'validAt' | 'createdAt' | 'id'>) {
  return { at, createdAt, id };
}

function stateOf(
  { validAt, invalidAt, expiredAt }: Pick<Fact, 'validAt' | 'invalidAt' | 'expiredAt'>,
  { isSuperseded, now }: { isSuperseded: boolean; now: Milliseconds },
): FactVersion['state'] {
  // A corrected fact ends where it began; a replaced one held for some time.
  const neverHeld = isSuperseded && (invalidAt === null || !everHeld({ validAt, invalidAt }));
  if (expiredAt !== null) return neverHeld ? 'corrected' : 'withdrawn';
  return hasEnded(invalidAt, now) ? 'ended' : 'current';
}

async function evidenceOf(
  { store, scope }: HistoryContext,
  facts: readonly string[],
): Promise<ReadonlyMap<string, readonly EvidenceTurn[]>> {
  const edges: Relationship[] = [];
  if (facts.length === 0) return new Map();
  for await (const batch of store.relationships(scope, 'EVIDENCED_BY', { from: facts })) edges.push(...batch);
  const rows = await store.get(scope, 'episode', [...new Set(edges.map(({ to }) => to))]);
  const turns = new Map(
    rows.map((row): [string, EvidenceTurn & { createdAt: number }] => {
      const { id: episode, session, index, speaker, validAt: saidAt, expiredAt, createdAt } = row;
      return [episode, { episode, session, index, speaker, saidAt, expiredAt, createdAt }];
    }),
  );
  const found = new Map<string, (EvidenceTurn & { createdAt: number })[]>();
  for (const { from, to } of edges) {
    const turn = turns.get(to);
    if (turn !== undefined) found.set(from, [...(found.get(from) ?? []), turn]);
  }
  const place = ({ saidAt: at, createdAt, episode: id }: EvidenceTurn & { createdAt: number }) => ({
    at,
    createdAt,
    id,
  });
  return new Map(
    Array.from(found, ([fact, each]) => [
      fact,
      each.sort((a, b) => compare(place(a), place(b))).map(({ createdAt: _, ...turn }) => turn),
    ]),
  );
}

/** The chain of facts that superseded each other, the given one included, ordered by when they began to hold. */
export interface FactHistory {
  readonly kind: 'fact';
  readonly fact: FactId;
  readonly versions: Page<FactVersion>;
  /** Corrections of any of these facts, the oldest first. */
  readonly corrections: readonly CorrectionRecord[];
}

/**
 * The history of a fact: all facts that it superseded and all that superseded it, transitively.
 *
 * @throws InvalidInputError when the scope has no such fact.
 */
export async function factHistory(
  context: HistoryContext,
  fact: string,
  request: PageRequest = {},
): Promise<FactHistory> {
  const [asked] = await context.store.get(context.scope, 'fact', [fact]);
  if (asked === undefined) throw new InvalidInputError('No fact of this scope has that id');
  const supersessions = await supersessionsOf(context);
  const all = connected(fact, supersessions);
  const rows = await context.store.get(context.scope, 'fact', [...all]);
  const { items, ...page } = pageOf(rows, placeOf, request);
  const versions = { ...page, items: await factVersions(context, items, supersessions) };
  return { kind: 'fact', fact: asked.id, versions, corrections: await correctionsOf(context, all) };
}

function connected(fact: string, { newer, older }: Supersessions): ReadonlySet<string> {
  const found = new Set([fact]);
  for (const each of found)
    for (const next of [...(newer.get(each) ?? []), ...(older.get(each) ?? [])]) found.add(next);
  return found;
}
