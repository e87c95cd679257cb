import { afterEach, describe, expect, it } from 'vitest';
import { syntheticTurns } from '../../../bench/synthetic-turns.ts';
import { CancelledError } from '../../../src/errors/index.ts';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { LocalSegmentReader } from '../../../src/ingest/extract/local-segment-reader.ts';
import type { SegmentReader } from '../../../src/ingest/extract/segment-reader.ts';
import { ThreadReader } from '../../../src/ingest/extract/thread/thread-reader.ts';
import { entityNameKey } from '../../../src/util/tidy.ts';

const said = (content: string): TurnToRead => ({
  ...{ content, speaker: 'Ada', role: 'user', validAt: Date.UTC(2026, 4, 1), attachments: [] },
});
/** "Mocha" at the start of a sentence is a name only if it is known as one. */
const SEGMENTS = [
  [said('Mocha sleeps on the sofa all day.'), said('I bought a red kayak in Oslo yesterday.')],
];

const open: ThreadReader[] = [];
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.close();
});

function threaded(names: readonly string[], { gate = true } = {}) {
  const calls: number[] = [];
  const own = new LocalSegmentReader({ gate });
  const inline: SegmentReader = {
    read: (segments, options) => {
      calls.push(segments.length);
      return own.read(segments, options);
    },
  };
  const reader = ThreadReader.start(inline, { gate, names })!;
  open.push(reader);
  return { reader, calls };
}

const knowing =
  (...names: string[]) =>
  (name: string) =>
    names.includes(entityNameKey(name));

describe('ThreadReader', () => {
  it('reads what the reader of this thread reads', async () => {
    const turns = [...syntheticTurns(60)].map(({ content }) => said(content));
    const segments = [...SEGMENTS, turns.slice(0, 20), turns.slice(20, 40), turns.slice(40)];
    const { reader, calls } = threaded([]);
    const known = knowing();
    expect(await reader.read(segments, { known })).toEqual(
      await new LocalSegmentReader().read(segments, { known }),
    );
    expect(calls).toEqual([]);
  });

  it('goes by the names of memory', async () => {
    const { reader, calls } = threaded(['mocha']);
    const options = { known: knowing('mocha') };
    const [reading] = await reader.read(SEGMENTS, options);
    expect([reading]).toEqual(await new LocalSegmentReader().read(SEGMENTS, options));
    expect(reading!.extraction.entities.map(({ name }) => name)).toContain('Mocha');
    expect(calls).toEqual([]);
  });

  it('reads again on this thread what the thread read with other names', async () => {
    const { reader, calls } = threaded(['mocha']);
    const options = { known: knowing() };
    const inline = await new LocalSegmentReader().read(SEGMENTS, options);
    expect(await reader.read(SEGMENTS, options)).toEqual(inline);
    expect(calls).toEqual([1]);
  });

  it('works on without the thread once that has ended', async () => {
    const { reader, calls } = threaded([]);
    const options = { known: knowing() };
    const reading = reader.read(SEGMENTS, options);
    await reader.close();
    const inline = await new LocalSegmentReader().read(SEGMENTS, options);
    expect(await reading).toEqual(inline);
    expect(await reader.read(SEGMENTS, options)).toEqual(inline);
    expect(calls).toEqual([1, 1]);
  });

  it('is not there when no thread can be started', () => {
    const names = [() => undefined] as never; // cannot be passed to a thread
    expect(ThreadReader.start(new LocalSegmentReader(), { gate: true, names })).toBeNull();
  });

  it('ends at once when it is cancelled', async () => {
    const { reader } = threaded([]);
    const stop = new AbortController();
    const reading = reader.read(SEGMENTS, { known: knowing(), signal: stop.signal });
    stop.abort();
    await expect(reading).rejects.toThrow(CancelledError);
  });
});
