import { describe, expect, it } from 'vitest';
import { areBoundaries, type Segmenter, type TurnToSegment } from '../../../src/ingest/segment/segmenter.ts';
import { seededRandom } from '../../search/random.ts';
import { turn } from '../turns.ts';

/** The contract of every Segmenter. */
export function segmenterContract(name: string, make: () => Segmenter): void {
  describe(`${name}: the Segmenter contract`, () => {
    it.each([0, 1, 2, 3, 4, 5, 8, 30, 200])('returns valid boundaries for %i turns', async (count) => {
      for (const seed of [1, 2, 3]) {
        const turns = randomTurns(count, seed);
        expect(areBoundaries(await make().boundaries(turns), count)).toBe(true);
      }
    });

    it('is deterministic', async () => {
      const turns = randomTurns(40, 7);
      expect(await make().boundaries(turns)).toEqual(await make().boundaries(turns));
    });

    it('does not modify the turns', async () => {
      const turns = randomTurns(10, 4);
      const copy = structuredClone(turns);
      await make().boundaries(turns);
      expect(turns).toEqual(copy);
    });

    it('stops when it is cancelled', async () => {
      const options = { signal: AbortSignal.abort() };
      await expect(make().boundaries(randomTurns(4, 1), options)).rejects.toMatchObject({
        code: 'cancelled',
      });
    });
  });
}

/** Some without features, some repeated. */
export function randomTurns(count: number, seed: number): TurnToSegment[] {
  const random = seededRandom(seed);
  const vectors = Array.from({ length: 6 }, () => Float32Array.from({ length: 4 }, () => random() - 0.5));
  vectors[0]!.fill(0);
  return Array.from({ length: count }, (_, at) => ({
    ...turn(at % 2 === 0 ? 'Ann' : 'Bob', `turn ${at}`),
    vector: vectors[Math.floor(random() * vectors.length)]!,
  }));
}
