import { describe, expect, it } from 'vitest';
import { IdleTimer } from '../../../main/processes/run-engine.ts';

/** What has become of timers that were due before another one of the same length. */
const oneTick = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('IdleTimer', () => {
  it('calls once nothing is under way, from the start on', async () => {
    await new Promise<void>((resolve) => new IdleTimer(() => 1, resolve));
    const idle = new Promise<void>((resolve) => {
      const watch = new IdleTimer(() => 1, resolve);
      watch.note(2);
      watch.note(1);
      watch.note(0);
    });
    await idle;
  });

  it('does not call while something is under way, or when it is stopped', async () => {
    let calls = 0;
    const count = () => {
      calls += 1;
    };
    const busy = new IdleTimer(() => 1, count);
    busy.note(1);
    new IdleTimer(() => 1, count).stop();
    const stopped = new IdleTimer(() => 1, count);
    stopped.stop();
    stopped.note(0); // a request that ended while the server closed
    await oneTick();
    await oneTick();
    expect(calls).toBe(0);
  });
});
