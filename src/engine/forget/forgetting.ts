import type { RemovedCounts } from '../../ingest/forget/removal.ts';
import type { RemovedTexts } from '../../ingest/forget/texts-of.ts';
import type { FormerSegment } from '../../ingest/forget/touched-segments.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Correction } from '../../model/nodes.ts';
import type { ForgetDetail } from './forget-detail.ts';
import type { ForgetEvent, ForgetProof } from './forget-event.ts';
import type { ProofOptions } from './prove.ts';

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
