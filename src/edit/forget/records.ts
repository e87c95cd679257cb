import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { contentHash } from '../../ingest/admit/plan-episodes.ts';
import { wasForgotten } from '../../ingest/corrections/tombstones.ts';
import type { SegmentReader } from '../../ingest/extract/segment-reader.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { CorrectionId, Scope } from '../../model/ids.ts';
import type { Correction, Episode } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { Rederived } from '../rederive/rederive.ts';
import { FORGET_CAUSES, FORGET_TARGETS } from './forget-event.ts';
import { firstOf } from './turns.ts';

const former = z.object({
  at: z.number(),
  session: z.string(),
  expired: z.boolean(),
  episodes: z.array(z.string()),
});
const schema = z.object({
  target: z.enum(FORGET_TARGETS),
  /** Turns to remove, in every version; empty for `all`. */
  turns: z.array(z.string()),
  entities: z.array(z.string()),
  /** When the first of the turns was stored; null if no turn is removed. */
  since: z.number().nullable(),
  /** Segments to remove, as re-derivation needs them. */
  regroup: z.array(former),
  counts: z.record(z.string(), z.number()),
  /** For `all`: creation time of the newest row to remove. */
  until: z.number().nullable().optional(),
  /**
   * Whether the scope had corrections. If so, re-derivation starts at the beginning: a removed correction takes the
   * record of the state before it along.
   */
  corrected: z.boolean().optional(),
  /**
   * Whether everything derived is removed, because what depends on the turns could not be determined: see
   * `planCoarseDeletion`.
   */
  coarse: z.boolean().optional(),
  /** Absent: forgotten. */
  cause: z.enum(FORGET_CAUSES).optional(),
  /** Of an ended one: `waits` until what the remaining turns give is derived again, then `done`; absent: nothing was. */
  rederivation: z.enum(['waits', 'done']).optional(),
});

/** The detail of a 'forget' correction: while it runs, what to remove; afterwards, how much was removed. */
export type ForgetDetail = Readonly<z.infer<typeof schema>>;

/** The detail of a record of unknown content. */
export const NO_DETAIL: ForgetDetail = {
  target: 'episodes',
  turns: [],
  entities: [],
  since: null,
  regroup: [],
  counts: {},
};

/** A running forgetting. */
export interface Forgetting {
  /** Its record, on disk since the first step. */
  readonly correction: Correction;
  readonly detail: ForgetDetail;
}

/** What a re-derivation follows from: of one forgetting, or of several at once. */
export type RemovalsDone = Pick<ForgetDetail, 'regroup' | 'since' | 'corrected'>;

/** Finds what to change after a removal, so that the graph is what the remaining turns give; null: nothing. Writes nothing. */
export type AfterRemoval = (
  context: IngestContext,
  removals: RemovalsDone,
  options: CallOptions & {
    /** Reads segments as the reader of the ingestion does. Default: that reader. */
    readonly reader?: SegmentReader | undefined;
  },
) => Promise<Rederived | null>;

/**
 * Describes categories that lost their profile from their remaining members, and dissolves categories without members.
 * It asks no model, is idempotent, and does nothing if no category is stale.
 */
export type UpdateHierarchy = (context: IngestContext, options: CallOptions) => Promise<void>;

/** Null if the correction has no such detail. */
export function forgetDetail({ kind, detail }: Pick<Correction, 'kind' | 'detail'>): ForgetDetail | null {
  const json = kind === 'forget' ? parseJson(detail) : null;
  const parsed = schema.safeParse(json?.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** The ended forgettings after which what the remaining turns give has yet to be derived again. */
export function waitingToRederive(corrections: Iterable<Correction>): Forgetting[] {
  const waiting: Forgetting[] = [];
  for (const correction of corrections) {
    const { kind, finishedAt, detail: text } = correction;
    if (kind !== 'forget' || finishedAt === null || !text.includes('"waits"')) continue;
    const detail = forgetDetail(correction);
    if (detail?.rederivation === 'waits') waiting.push({ correction, detail });
  }
  return waiting;
}

/** All of them at once: the earliest time counts, and null if one needs everything. */
export function removalsDone(forgettings: readonly Forgetting[]): RemovalsDone {
  const times = forgettings.map(({ detail: { since } }) => since);
  return {
    regroup: forgettings.flatMap(({ detail: { regroup } }) => regroup),
    since: times.reduce((one, other) => (one === null || other === null ? null : Math.min(one, other))),
    corrected: forgettings.some(({ detail: { corrected } }) => corrected === true),
  };
}

/** All ids in the detail, as the targets of its correction. */
export function targetsOf({ turns, entities, regroup }: ForgetDetail): string[] {
  return [...new Set([...turns, ...entities, ...regroup.flatMap(({ episodes }) => episodes)])];
}

/** The record of a forgetting that begins, or of one that ended. */
export function forgetRecord(
  { newId, clock }: Pick<IngestContext, 'newId' | 'clock'>,
  detail: ForgetDetail,
  { author, createdAt = clock(), finishedAt = null }: Pick<Correction, 'author'> & Partial<Correction>,
): Correction {
  return {
    id: newId() as CorrectionId,
    kind: 'forget',
    author,
    targets: finishedAt === null ? targetsOf(detail) : [],
    detail: JSON.stringify(detail),
    createdAt,
    finishedAt,
    undoneAt: null,
  };
}

/** Rows are never overwritten: a record that ends, or whose re-derivation is done, replaces the one before. */
export function finalRecord(
  context: Pick<IngestContext, 'newId' | 'clock'>,
  { id, author, createdAt, finishedAt }: Correction,
  detail: ForgetDetail,
): GraphChanges {
  const at = finishedAt ?? context.clock();
  const correction = forgetRecord(context, detail, { author, createdAt, finishedAt: at });
  return { nodes: { correction: [correction] }, removals: [{ kind: 'correction', id }] };
}

/**
 * A record to write before an import that contains forgotten turns. If the import is interrupted, resuming the
 * forgetting removes them and everything read together with them before the scope is searched.
 */
export function recordOfImport(
  context: Pick<IngestContext, 'newId' | 'clock'>,
  turns: readonly Pick<Episode, 'id' | 'createdAt'>[],
): Correction {
  const detail: ForgetDetail = { ...NO_DETAIL, turns: turns.map(({ id }) => id), since: firstOf(turns) };
  return forgetRecord(context, detail, { author: 'import' });
}

/** Scopes with an unfinished forgetting. */
export async function scopesStillForgetting(store: GraphStore): Promise<Scope[]> {
  const found: Scope[] = [];
  for (const scope of await store.scopes())
    if ((await unfinishedForgettings(store, scope)) > 0) found.push(scope);
  return found;
}

/** Number of unfinished forgettings of a scope. */
export async function unfinishedForgettings(store: GraphStore, scope: Scope): Promise<number> {
  let open = 0;
  for await (const rows of store.scan(scope, 'correction', ['kind', 'finishedAt']))
    open += rows.filter(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null).length;
  return open;
}

/** @throws InvalidInputError while a forgetting is unfinished, because a copy would keep what it has yet to remove. */
export async function refuseUnfinishedForgetting(store: GraphStore): Promise<void> {
  const [scope] = await scopesStillForgetting(store);
  if (scope !== undefined)
    throw new InvalidInputError(
      `Forgetting in scope ${JSON.stringify(scope)} was interrupted, and its remaining rows would be copied. Complete it first: mnemis resume --scope ${JSON.stringify(scope)}`,
    );
}

/** Turns of an import that the scope has forgotten. */
export function forgottenAmong(
  { index: { corrections } }: Pick<IngestContext, 'index'>,
  episodes: readonly Episode[],
): Episode[] {
  return episodes.filter((turn) => wasForgotten({ ...turn, contentHash: contentHash(turn) }, corrections));
}
