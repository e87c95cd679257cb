import { describe, expect, it } from 'vitest';
import type { CheckedReading, SegmentReader } from '../../src/ingest/extract/segment-reader.ts';
import { dialogue } from './turns.ts';

export const PUPPY = dialogue(
  'Ann: I adopted a puppy in Oslo last Friday. She is called Luna!',
  'Bob: Wow!',
  'Ann: I work at Equinor and I play the violin.',
);
export const GARDEN = dialogue('Bob: I planted ferns in the garden in May.', 'Ann: Luna dug up the garden.');
const LONE = dialogue('Bob: Thanks!');
const SEGMENTS = [PUPPY, GARDEN, LONE];

const known = () => false;

/** The contract of every SegmentReader. @param checksFacts Whether facts are what the self-check reads. */
export function segmentReaderContract(name: string, make: () => SegmentReader, checksFacts = true): void {
  describe(`${name}: the SegmentReader contract`, () => {
    it('returns one reading per segment, with the positions of its turns', async () => {
      const readings = await make().read(SEGMENTS, { known });
      expect(readings).toHaveLength(3);
      for (const [at, reading] of readings.entries()) {
        const turns = SEGMENTS[at]!;
        expect(reading.judgements).toHaveLength(turns.length);
        expect(reading.verified).toHaveLength(turns.length);
        for (const { turns: cited } of [...reading.extraction.facts, ...reading.extraction.entities]) {
          expect(cited.length).toBeGreaterThan(0);
          expect(cited).toEqual([...new Set(cited)].sort((a, b) => a - b));
          for (const turn of cited) expect(turns[turn]).toBeDefined();
        }
      }
    });

    it('has a summary for each, and speakers that it knows', async () => {
      for (const [at, { summary, extraction }] of (await make().read(SEGMENTS, { known })).entries()) {
        expect(summary).not.toBe('');
        const names = extraction.entities.map((entity) => entity.name);
        expect(names).toEqual(expect.arrayContaining(SEGMENTS[at]!.map(({ speaker }) => speaker)));
        expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
      }
    });

    it('keeps the evidence of facts, and verifies no turn without a fact', async () => {
      for (const { judgements, verified, extraction } of await make().read(SEGMENTS, { known })) {
        const cited = new Set(extraction.facts.flatMap(({ turns }) => turns));
        for (const turn of cited) expect(judgements[turn]).toBe('kept');
        for (const [turn, is] of verified.entries()) if (is && checksFacts) expect(cited).toContain(turn);
      }
    });

    it('has the participants of facts among its entities', async () => {
      for (const { extraction } of await make().read(SEGMENTS, { known })) {
        const names = extraction.entities.map((entity) => entity.name);
        for (const { participants, subject, object } of extraction.facts) {
          expect(names).toEqual(expect.arrayContaining([...participants]));
          for (const end of [subject, object]) if (end !== null) expect(participants).toContain(end);
        }
      }
    });

    it('is deterministic, does not modify its input, and returns nothing for nothing', async () => {
      const copy = structuredClone(SEGMENTS);
      const read = (): Promise<readonly CheckedReading[]> => make().read(SEGMENTS, { known });
      expect(await read()).toEqual(await read());
      expect(SEGMENTS).toEqual(copy);
      expect(await make().read([], { known })).toEqual([]);
    });

    it('stops when it is cancelled', async () => {
      const signal = AbortSignal.abort();
      await expect(make().read(SEGMENTS, { known, signal })).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}
