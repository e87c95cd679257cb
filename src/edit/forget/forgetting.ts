import { z } from 'zod';
import type { SegmentReader } from '../../ingest/extract/segment-reader.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Correction } from '../../model/nodes.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { RemovedCounts, RemovedTexts } from './deletion-set.ts';
import { FORGET_TARGETS, type ForgetEvent } from './forget-event.ts';
import type { FormerSegment } from './segments.ts';

/** A running forgetting. */
export interface Forgetting {
  /** Its record, on disk since the first step. */
  readonly correction: Correction;
  readonly detail: ForgetDetail;
}

/**
 * Called after the rows are removed and before the forgetting is done, for re-derivation. Returns whether the index of
 * the context holds what was written.
 */
export type AfterRemoval = (
  context: IngestContext,
  forgetting: Forgetting & { readonly former: readonly FormerSegment[]; readonly reread: readonly string[] },
  options: {
    readonly signal?: AbortSignal | undefined;
    /** Reads segments as the reader of the ingestion does. Default: that reader. */
    readonly reader?: SegmentReader | undefined;
  },
) => Promise<boolean>;

/**
 * Describes categories that lost their profile from their remaining members, and dissolves categories without members.
 * It asks no model, is idempotent, and does nothing if no category is stale.
 */
export type UpdateHierarchy = (
  context: IngestContext,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<void>;

export type ReportProgress = (event: Extract<ForgetEvent, { type: 'progress' }>) => void;

/** Counts of removed rows, summed over the steps. */
export class ForgetTally {
  readonly #counts = new Map<string, number>();
  readonly texts = { said: new Set<string>(), derived: new Set<string>() };
  readonly reread = new Set<string>();
  tombstones = 0;

  add(counts: RemovedCounts): void {
    for (const [kind, count] of Object.entries(counts))
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  note({ said, derived }: RemovedTexts): void {
    for (const text of said) this.texts.said.add(text);
    for (const text of derived) this.texts.derived.add(text);
  }

  get counts(): RemovedCounts {
    return Object.fromEntries(this.#counts);
  }
}

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
});

/** The detail of a 'forget' correction: while it runs, what to remove; afterwards, how much was removed. */
export type ForgetDetail = Readonly<z.infer<typeof schema>>;

/** Null if the correction has no such detail. */
export function forgetDetail({ kind, detail }: Pick<Correction, 'kind' | 'detail'>): ForgetDetail | null {
  const json = kind === 'forget' ? parseJson(detail) : null;
  const parsed = schema.safeParse(json?.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** All ids in the detail, as the targets of its correction. */
export function targetsOf({ turns, entities, regroup }: ForgetDetail): string[] {
  return [...new Set([...turns, ...entities, ...regroup.flatMap(({ episodes }) => episodes)])];
}
