import { InvalidInputError } from '../../errors/index.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { CallOptions } from '../call-options.ts';
import type { TimeInput } from '../history/look-back.ts';
import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed } from './change-feed.ts';
import { changeHistory } from './change-history.ts';
import { type DescribeContext, describeChanges } from './describe-changes.ts';

/**
 * What `MemoryScope.changes` tells: what is to come, with `since` what was before as well, with `follow: false` the
 * past alone (all of it, where `since` is left out). A `signal` that fires ends the iterable without an error.
 */
export interface ChangesOptions extends CallOptions {
  /** System time: what changed from then on comes first. Default: only what changes from now on. */
  readonly since?: TimeInput | undefined;
  /** Whether changes to come are told too; else the iterable ends with the last one that was made. Default true. */
  readonly follow?: boolean;
}

export interface ListenContext extends DescribeContext {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly feed: ChangeFeed;
  /** Runs a job while nothing commits to the scope. */
  readonly inTurn: <T>(job: () => Promise<T>) => Promise<T>;
}

/**
 * The changes of a scope. History is read while nothing commits, and what is committed afterwards is heard from the
 * same moment on: nothing is told twice or left out.
 */
export function listenToChanges(
  context: ListenContext,
  { since, signal, follow = true }: ChangesOptions,
): AsyncIterableIterator<ChangeEvent> {
  const from = since === undefined ? (follow ? null : Number.NEGATIVE_INFINITY) : readSince(since);
  const { feed, scope, inTurn } = context;
  const { listener, open } = feed.listener(scope, (drafts) => describeChanges(context, drafts));
  const stop = () => listener.end();
  listener.whenEnded(() => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  if (from === null) open();
  else
    listener.startWith(
      inTurn(async () => {
        const history = await changeHistory(context, from);
        if (follow) open();
        return history;
      }),
    );
  if (!follow) listener.stopAfterHistory();
  return listener;
}

function readSince(since: unknown): Milliseconds {
  const isTime = typeof since === 'string' || typeof since === 'number' || since instanceof Date;
  const time = isTime ? parseTimestamp(since) : null;
  if (time === null)
    throw new InvalidInputError(
      'since is not a time; give a Date, milliseconds, or text such as "2023-05-08"',
    );
  return time;
}
