import { describe, expect, it } from 'vitest';
import { follow } from '../../src/util/follow.ts';
import { gate } from '../fixtures/gate.ts';

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

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
    });
    expect(await taken(events)).toEqual([1, 2, 3, 4]);
    expect(isDone).toBe(true);
  });

  it('gives each event as soon as it is told, while the job goes on', async () => {
    const { opened: released, open: goOn } = gate();
    const events = follow<string>(async (tell) => {
      tell('first');
      await released;
      tell('second');
    });
    expect(await events.next()).toEqual({ done: false, value: 'first' });
    goOn();
    expect(await taken(events)).toEqual(['second']);
  });

  it('starts nothing before the first event is asked for', async () => {
    let starts = 0;
    const events = follow<number>(async () => void starts++);
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
      for await (const event of follow(job)) seen.push(event);
    })();
    await expect(broken).rejects.toThrow(new RangeError('no more'));
    expect(seen).toEqual([1, 2]);
  });

  it('keeps a failure for whoever takes the next event, however late', async () => {
    const events = follow<number>(async (tell) => {
      tell(1);
      throw new RangeError('at once');
    });
    expect((await events.next()).value).toBe(1);
    await tick(); // an unhandled rejection would end the test run
    await expect(events.next()).rejects.toThrow('at once');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('stops the job of whoever takes no more, and waits for its end', async () => {
    const steps: string[] = [];
    const job = async (tell: (event: number) => void, signal: AbortSignal) => {
      signal.addEventListener('abort', () => steps.push('stop'));
      for (let event = 1; !signal.aborted; event++) {
        tell(event);
        await tick();
      }
      steps.push('the job ended');
    };
    for await (const event of follow(job)) if (event === 2) break;
    steps.push('the loop ended');
    expect(steps).toEqual(['stop', 'the job ended', 'the loop ended']);
  });

  it('does not stop a job that has ended already', async () => {
    let stopped = 0;
    const events = follow<number>(async (tell, signal) => {
      signal.addEventListener('abort', () => stopped++);
      tell(1);
      tell(2);
    });
    await events.next();
    await tick();
    expect(await events.return(undefined)).toEqual({ done: true, value: undefined });
    expect(stopped).toBe(0);
  });

  it('ends quietly for whoever takes no more, where being stopped is what makes the job fail', async () => {
    let isStopped = false;
    const job = async (tell: (event: number) => void, signal: AbortSignal) => {
      tell(1);
      while (!signal.aborted) await tick();
      isStopped = true;
      throw new RangeError('stopped, as it was told to');
    };
    const seen: number[] = [];
    for await (const event of follow(job)) {
      seen.push(event);
      break;
    }
    expect([seen, isStopped]).toEqual([[1], true]);
  });

  it('stops the job with the given signal, and throws what that makes the job throw', async () => {
    const given = new AbortController();
    const job = async (tell: (event: number) => void, signal: AbortSignal) => {
      tell(1);
      while (!signal.aborted) await tick();
      throw new RangeError('stopped, as it was told to');
    };
    const events = follow(job, given.signal);
    await events.next();
    given.abort();
    await expect(events.next()).rejects.toThrow('as it was told to');
  });
});
