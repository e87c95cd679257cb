import { contentHash } from '../../ingest/admit/read-turn.ts';
import { wasForgotten } from '../../ingest/forget/tombstones.ts';
import { firstOf } from '../../ingest/forget/turn-list.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CorrectionId } from '../../model/ids.ts';
import type { Correction, Episode } from '../../model/nodes.ts';
import { type ForgetDetail, targetsOf } from './forget-detail.ts';
import type { Forgetting } from './forgetting.ts';

/** Turns among those of an import that the scope has forgotten. */
export function forgottenAmong(
  { index: { rulings } }: Pick<IngestContext, 'index'>,
  episodes: readonly Episode[],
): Episode[] {
  return episodes.filter((turn) => wasForgotten({ key: turn.key, contentHash: contentHash(turn) }, rulings));
}

/**
 * A record, to be written before an import, of turns in it that must not stay: whatever comes of the import, they and
 * all that was read beside them go again before anybody sees them.
 */
export function recordOf(
  { newId, clock }: Pick<IngestContext, 'newId' | 'clock'>,
  turns: readonly Pick<Episode, 'id' | 'createdAt'>[],
): Forgetting {
  const detail: ForgetDetail = {
    target: 'episodes',
    turns: turns.map(({ id }) => id),
    entities: [],
    since: firstOf(turns),
    regroup: [],
    counts: {},
  };
  const correction: Correction = {
    id: newId() as CorrectionId,
    kind: 'forget',
    author: 'import',
    targets: targetsOf(detail),
    detail: JSON.stringify(detail),
    createdAt: clock(),
    finishedAt: null,
    undoneAt: null,
  };
  return { correction, detail };
}
