import { describe, expect, it } from 'vitest';
import type { OfferedNode, Selector } from '../../src/hierarchy/traverse/selector.ts';

const QUESTION = 'Which cities has Ann visited?';

export const node = (name: string, more: Partial<OfferedNode> = {}): OfferedNode => ({
  ...{ id: name, layer: 1, name, tags: [], childCount: 3 },
  ...more,
});

/** A list that any selector should find the cities in. */
export const TOPICS = ['Cities', 'Pets', 'Instruments', 'Plants', 'Tools'].map((name) => node(name));

/**
 * What every Selector does.
 * @param make For a hierarchy of `TOPICS` and the entities that are offered; one that would pick the cities.
 */
export function selectorContract(name: string, make: () => Promise<Selector> | Selector): void {
  const select = async (nodes: readonly OfferedNode[], signal?: AbortSignal) =>
    (await make()).select({ question: QUESTION, layer: 1, nodes }, signal === undefined ? {} : { signal });

  describe(`${name}: the Selector contract`, () => {
    it('has a name', async () => expect((await make()).name).toMatch(/\w/));

    it('picks what the question asks for', async () => {
      expect((await select(TOPICS)).picks.map(({ id }) => id)).toContain('Cities');
      expect((await select(TOPICS.toReversed())).picks.map(({ id }) => id)).toContain('Cities');
    });

    it('picks offered nodes only, each once, with scores from 0 to 1, the best first', async () => {
      for (const nodes of [TOPICS, TOPICS.slice(1), TOPICS.slice(0, 1)]) {
        const { picks, notes } = await select(nodes);
        const ids = picks.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(nodes.map((each) => each.id)).toContain(id);
        const scores = picks.map(({ score }) => score);
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(Array.isArray(notes)).toBe(true);
      }
    });

    it('picks from nodes that are shown under others, too', async () => {
      const nested = [
        node('Places', { layer: 2, children: [node('Cities'), node('Parks')] }),
        node('Things', { layer: 2 }),
      ];
      expect((await select(nested)).picks.map(({ id }) => id)).toContain('Cities');
    });

    it('picks from a long list', async () => {
      const many = Array.from({ length: 1_500 }, (_, at) => node(`Subject number ${at}`));
      const { picks } = await select([...many, TOPICS[0]!]);
      expect(picks.map(({ id }) => id)).toContain('Cities');
    });

    it('picks nothing of nothing, and costs nothing then', async () => {
      const { picks, usage } = await select([]);
      expect([picks, usage.calls]).toEqual([[], 0]);
    });

    it('gives the same again', async () => {
      expect((await select(TOPICS)).picks).toEqual((await select(TOPICS)).picks);
    });

    it('stops when it is cancelled', async () => {
      await expect(select(TOPICS, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}
