import { CancelledError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { EpisodeId, Milliseconds } from '../../model/ids.ts';
import { Breather } from '../../util/breathe.ts';

export interface OldTurns {
  /** Older versions of turns among them. */
  readonly ids: readonly EpisodeId[];
  /** As old, but not yet read for facts: what they say would be lost. */
  readonly waiting: number;
}

/** The turns said before a time whose text is still there. */
export async function oldTurns(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  before: Milliseconds,
  signal?: AbortSignal,
): Promise<OldTurns> {
  const done = index.rulings.turnsWithoutText;
  const ids: EpisodeId[] = [];
  const breather = new Breather();
  let waiting = 0;
  for await (const rows of store.scan(scope, 'episode', ['id', 'validAt', 'expiredAt', 'status']))
    for (const { id, validAt, expiredAt, status } of rows) {
      if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
      await breather.breathe();
      if (validAt >= before || done.has(id)) continue;
      if (expiredAt === null && status !== 'extracted') waiting++;
      else ids.push(id);
    }
  return { ids: ids.sort(), waiting };
}
