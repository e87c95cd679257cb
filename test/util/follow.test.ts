import { describe, expect, it } from 'vitest';
import { follow } from '../../src/util/follow.ts';

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
const neverStopped = () => expect.unreachable('nobody stopped the job');

async function taken<T>(events: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe('follow', () => {
  it('gives the events in order, told at once or over time, and ends with the job', async () => {
    let isDone = false;
    const events = follow<number>(async (tell) => {
      tell(1);
      tell(2);
      await tick();
      tell(3);
      await tick();
      tell(4);
      isDone = true;
    }, neverStopped);
    expect(await taken(events)).toEqual([1, 2, 3, 4]);
    expect(isDone).toBe(true);
  });

  it('gives each event as soon as it is told, while the job goes on', async () => {
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const events = follow<string>(async (tell) => {
      tell('first');
      await gate;
      tell('second');
    }, neverStopped);
    expect(await events.next()).toEqual({ done: false, value: 'first' });
    goOn();
    expect(await taken(events)).toEqual(['second']);
  });

  it('starts nothing before the first event is asked for', async () => {
    let starts = 0;
    const events = follow<number>(async () => void starts++, neverStopped);
    await tick();
    expect(starts).toBe(0);
    expect(await taken(events)).toEqual([]);
    expect(starts).toBe(1);
  });

  it('throws what the job throws, after the events that came before', async () => {
    const seen: number[] = [];
    const broken = (async () => {
      const job = async (tell: (event: number) => void) => {
        tell(1);
        await tick();
        tell(2);
        throw new RangeError('no more');
      };
      for await (const event of follow(job, neverStopped)) seen.push(event);
    })();
    await expect(broken).rejects.toThrow(new RangeError('no more'));
    expect(seen).toEqual([1, 2]);
  });

  it('keeps a failure for whoever takes the next event, however late', async () => {
    const events = follow<number>(async (tell) => {
      tell(1);
      throw new RangeError('at once');
    }, neverStopped);
    expect((await events.next()).value).toBe(1);
    await tick(); // an unhandled rejection would end the test run
    await expect(events.next()).rejects.toThrow('at once');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('stops the job of whoever takes no more, and waits for its end', async () => {
    const steps: string[] = [];
    let isStopped = false;
    const job = async (tell: (event: number) => void) => {
      for (let event = 1; !isStopped; event++) {
        tell(event);
        await tick();
      }
      steps.push('the job ended');
    };
    const stop = () => {
      steps.push('stop');
      isStopped = true;
    };
    for await (const event of follow(job, stop)) if (event === 2) break;
    steps.push('the loop ended');
    expect(steps).toEqual(['stop', 'the job ended', 'the loop ended']);
  });

  it('does not stop a job that has ended already', async () => {
    const events = follow<number>(async (tell) => {
      tell(1);
      tell(2);
    }, neverStopped);
    await events.next();
    await tick();
    expect(await events.return(undefined)).toEqual({ done: true, value: undefined });
  });

  it('ends quietly for whoever takes no more, where being stopped is what makes the job fail', async () => {
    const abort = new AbortController();
    const job = async (tell: (event: number) => void) => {
      tell(1);
      while (!abort.signal.aborted) await tick();
      throw new RangeError('stopped, as it was told to');
    };
    const seen: number[] = [];
    for await (const event of follow(job, () => abort.abort())) {
      seen.push(event);
      break;
    }
    expect([seen, abort.signal.aborted]).toEqual([[1], true]);
  });
});
