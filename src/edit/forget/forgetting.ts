import { z } from 'zod';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Correction } from '../../model/nodes.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { ProofOptions } from '../proof/prove.ts';
import type { RemovedCounts, RemovedTexts } from './deletion-set.ts';
import { FORGET_TARGETS, type ForgetEvent, type ForgetProof } from './forget-event.ts';
import type { FormerSegment } from './segments.ts';

/** A forgetting under way. */
export interface Forgetting {
  /** Its record, on disk since the first step. */
  readonly correction: Correction;
  readonly detail: ForgetDetail;
}

/** What re-derivation and others may do once the rows are gone and before the forgetting is done. */
export type AfterRemoval = (
  context: IngestContext,
  forgetting: Forgetting & { readonly former: readonly FormerSegment[]; readonly reread: readonly string[] },
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<void>;

/**
 * Gives categories that lost their profile a new one, from what is left, and dissolves those that nothing is left in. It
 * asks no model, comes to the same when it is called again, and finds nothing to do where nothing is stale.
 */
export type UpdateHierarchy = (
  context: IngestContext,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<void>;

/** What forgetting needs of the scope that it runs in, while nobody else writes. */
export interface ForgetAccess {
  /** Lets go of whatever in memory may hold text of what went, and gives an index that is made anew from the graph. */
  readonly renew: () => Promise<IngestContext>;
  /** An index made from the graph that nobody else is shown. */
  readonly fresh: () => Promise<IngestContext>;
  /** Looks for texts in everything in memory that holds text. */
  readonly prove: (
    context: IngestContext,
    texts: RemovedTexts,
    options: Omit<ProofOptions, 'holders'>,
  ) => Promise<ForgetProof>;
  readonly afterRemoval?: AfterRemoval | undefined;
  readonly updateHierarchy?: UpdateHierarchy | undefined;
}

export type Tell = (event: Extract<ForgetEvent, { type: 'progress' }>) => void;

/** What went, added up over the steps. */
export class ForgetTally {
  readonly #counts = new Map<string, number>();
  readonly texts = { said: new Set<string>(), told: new Set<string>() };
  readonly reread = new Set<string>();
  tombstones = 0;

  add(counts: RemovedCounts): void {
    for (const [kind, count] of Object.entries(counts))
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  note({ said, told }: RemovedTexts): void {
    for (const text of said) this.texts.said.add(text);
    for (const text of told) this.texts.told.add(text);
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
  /** Turns to go, in every version; of `all` none is listed. */
  turns: z.array(z.string()),
  entities: z.array(z.string()),
  /** When the first of the turns came; null where no turn goes. */
  since: z.number().nullable(),
  /** Segments that go: what re-derivation must know of them. */
  regroup: z.array(former),
  counts: z.record(z.string(), z.number()),
  /** Of `all`: when the youngest row was made that it is to remove. */
  until: z.number().nullable().optional(),
  /** Whether corrections by hand were there: one that goes takes along what memory was before it. */
  corrected: z.boolean().optional(),
  /** Whether everything derived goes, since what rests on the turns could not be told: see `coarseRemovalOf`. */
  coarse: z.boolean().optional(),
});

/** The detail of a 'forget' correction: while it is under way what is to go, afterwards how much went. */
export type ForgetDetail = Readonly<z.infer<typeof schema>>;

/** Null for what is no such detail. */
export function forgetDetail({ kind, detail }: Pick<Correction, 'kind' | 'detail'>): ForgetDetail | null {
  const json = kind === 'forget' ? parseJson(detail) : null;
  const parsed = schema.safeParse(json?.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** Every id that the detail speaks of, as the targets of its correction. */
export function targetsOf({ turns, entities, regroup }: ForgetDetail): string[] {
  return [...new Set([...turns, ...entities, ...regroup.flatMap(({ episodes }) => episodes)])];
}
