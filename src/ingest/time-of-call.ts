import type { IngestContext } from './ingest-context.ts';

/** A clock that stands still: all that one call writes is of one time, and by that it is known as one. */
export function timeOfCall({ clock }: Pick<IngestContext, 'clock'>): IngestContext['clock'] {
  const now = clock();
  return () => now;
}
