import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { KeptReadings } from '../../../src/ingest/extract/kept-readings.ts';
import { LocalSegmentReader } from '../../../src/ingest/extract/local-segment-reader.ts';
import type { ReadOptions, SegmentReader } from '../../../src/ingest/extract/segment-reader.ts';

const turn = (content: string, validAt: number, speaker = 'Ann'): TurnToRead => ({
  content,
  speaker,
  role: 'user',
  validAt: validAt as never,
  attachments: [],
});
const SEGMENTS = [
  [turn('I moved to Ghent with Lena Stone.', 1_000), turn('My sister likes the Red Tandem.', 2_000, 'Bob')],
  [turn('Lena works at Acme.', 3_000), turn('the red tandem is broken', 4_000, 'Bob')],
];

class CountingReader implements SegmentReader {
  readonly #reader = new LocalSegmentReader();
  reads = 0;

  read(segments: Parameters<SegmentReader['read']>[0], options: ReadOptions) {
    this.reads += segments.length;
    return this.#reader.read(segments, options);
  }
}

function kept(mostBytes?: number) {
  const reader = new CountingReader();
  return { reader, readings: new KeptReadings(reader, mostBytes === undefined ? {} : { mostBytes }) };
}

const nothing: ReadOptions = { known: () => false };

describe('kept readings', () => {
  it('are what the reader reads, the first time and again', async () => {
    const { reader, readings } = kept();
    for (const known of [() => false, () => true, (name: string) => name.length % 2 === 0, () => false]) {
      const wanted = await new LocalSegmentReader().read(SEGMENTS, { known });
      expect(await readings.read(SEGMENTS, { known })).toEqual(wanted);
      const { reads } = reader;
      expect(await readings.read(SEGMENTS, { known })).toEqual(wanted);
      expect(reader.reads).toBe(reads);
    }
  });

  it('are read again when memory answers otherwise to a name that was asked about', async () => {
    const { reader, readings } = kept();
    const asked = new Set<string>();
    const noting = { known: (name: string) => asked.add(name) === undefined };
    await readings.read(SEGMENTS, noting);
    expect(asked.size).toBeGreaterThan(0);
    for (const name of asked) {
      const { reads } = reader;
      await readings.read(SEGMENTS, { known: (each) => each === name });
      expect(reader.reads).toBeGreaterThan(reads);
      await readings.read(SEGMENTS, nothing);
    }
    const { reads } = reader;
    await readings.read(SEGMENTS, { known: (name) => name === 'a name that no turn has' });
    expect(reader.reads).toBe(reads);
  });

  it('are read again when anything in the turns differs', async () => {
    const { reader, readings } = kept();
    const given = SEGMENTS[0]![0]!;
    await readings.read([[given]], nothing);
    const others: TurnToRead[] = [
      { ...given, content: `${given.content} ` },
      { ...given, speaker: 'Cleo' },
      { ...given, role: 'assistant' },
      { ...given, validAt: 1 as never },
      { ...given, attachments: [{ kind: 'image', description: 'A tandem.' } as never] },
    ];
    for (const [at, other] of others.entries()) {
      await readings.read([[other]], nothing);
      expect(reader.reads).toBe(at + 2);
    }
  });

  it('forget the segments of a turn as a whole, and hold no text of it', async () => {
    const { readings } = kept();
    await readings.read(SEGMENTS, nothing);
    readings.forget([2_000 as never]);
    expect(readings.size).toBe(1);
    const texts = [...readings.entries()].flatMap(([, found]) => [...found]).join('\n');
    expect(texts).not.toContain('Ghent');
    expect(texts).not.toContain('sister');
    readings.clear();
    expect(readings.size).toBe(0);
  });

  it('do not include a reading during which a turn was forgotten', async () => {
    const { readings } = kept();
    const reading = readings.read([SEGMENTS[0]!], nothing);
    readings.forget([2_000 as never]);
    await reading;
    expect(readings.size).toBe(0);
  });

  it('take no more memory than they may: those of the latest turns stay', async () => {
    const { reader, readings } = kept(8_000);
    const segments = Array.from({ length: 20 }, (_, at) => [turn(`I moved to Ghent with Lena ${at}.`, at)]);
    for (const segment of [...segments, ...segments]) {
      await readings.read([segment], nothing);
      expect(readings.bytes).toBeLessThanOrEqual(8_000);
    }
    const left = readings.size;
    expect(left).toBeGreaterThan(1);
    expect(left).toBeLessThan(20);
    const { reads } = reader;
    await readings.read(segments.slice(-left), nothing);
    expect(reader.reads).toBe(reads);
    await readings.read([segments[0]!], nothing);
    expect(reader.reads).toBe(reads + 1);
  });
});
