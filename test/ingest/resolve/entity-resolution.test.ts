import { describe, expect, it } from 'vitest';
import type { SegmentToResolve } from '../../../src/ingest/resolve/entity-resolution.ts';
import type { EntityToResolve, ResolutionJudge } from '../../../src/ingest/resolve/resolution-judge.ts';
import { seededRandom } from '../../search/random.ts';
import { pick } from '../../search/random-conversation.ts';
import { ResolvingMemory, said } from './resolving-memory.ts';

/** Which entity each segment's "Alex" resolves to, numbered in order of appearance; in one batch, then one by one. */
async function groups(segments: readonly SegmentToResolve[], name = 'Alex'): Promise<[number[], number[]]> {
  const whole = await new ResolvingMemory().resolve(segments);
  const memory = new ResolvingMemory();
  const oneByOne: (string | undefined)[] = [];
  for (const segment of segments) oneByOne.push((await memory.add(segment)).entityOf(0, name));
  return [numbered(segments.map((_, at) => whole.entityOf(at, name))), numbered(oneByOne)];
}

function numbered(ids: readonly (string | undefined)[]): number[] {
  const distinct = [...new Set(ids)];
  return ids.map((id) => distinct.indexOf(id));
}

const bare = (session: string) => said(session, ['Nora', 'Ben', 'Alex'], 'Alex came by for dinner.');
const colleague = said('s1', ['Nora', 'Alex', 'Berlin:place'], "Nora's colleague Alex lives in Berlin.");
const nephew = said('s2', ['Nora', 'Alex'], "Nora's sister's son Alex, who is five, learned to swim.");

describe('EntityResolution: people with the same first name', () => {
  it('keeps a colleague and a nephew apart, in either order, also in one session', async () => {
    expect(await groups([colleague, nephew])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await groups([nephew, colleague])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const sameSession = { ...nephew, session: 's1' };
    expect(await groups([colleague, sameSession])).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('keeps a friend of twenty sessions one entity, also when another person of the name occurs in between', async () => {
    const sessions = Array.from({ length: 20 }, (_, at) => bare(`t${at}`));
    const one = Array(20).fill(0);
    expect(await groups(sessions)).toEqual([one, one]);
    const between = [...sessions.slice(0, 10), nephew, ...sessions.slice(10)];
    const other = [...one.slice(0, 10), 1, ...one.slice(10)];
    expect(await groups(between)).toEqual([other, other]);
  });

  it('assigns a bare name to nobody if two people are equally likely, and records the doubt', async () => {
    const memory = new ResolvingMemory();
    const first = (await memory.add(colleague)).entityOf(0, 'Alex')!;
    const second = (await memory.add(nephew)).entityOf(0, 'Alex')!;
    const { entityOf, possiblySame } = await memory.add(bare('s3'));
    const third = entityOf(0, 'Alex')!;
    expect(new Set([first, second, third]).size).toBe(3);
    expect(possiblySame.map(({ from, to }) => [from, to])).toEqual([
      [third, first],
      [third, second],
    ]);
    for (const { confidence } of possiblySame) expect(confidence).toBeGreaterThan(0);
    expect(memory.index.entities.idsOfName('alex')).toEqual([first, second, third]);
  });

  it('chooses the candidate with shared company, and the one that is stated to be the same', async () => {
    const memory = new ResolvingMemory();
    const first = (await memory.add(colleague)).entityOf(0, 'Alex');
    const second = (await memory.add(nephew)).entityOf(0, 'Alex');
    const inBerlin = await memory.add(
      said('s3', ['Nora', 'Alex', 'Berlin:place'], 'Alex showed Berlin to Nora.'),
    );
    expect(inBerlin.entityOf(0, 'Alex')).toBe(first);
    const again = await memory.add(said('s4', ['Nora', 'Alex'], "Nora's nephew Alex lost a tooth."));
    expect(again.entityOf(0, 'Alex')).toBe(second);
  });

  it('does not match a speaker with somebody only others have mentioned', async () => {
    const alone = (session: string, speaker: string) => ({
      ...said(session, ['Alex'], 'Alex came by for dinner.'),
      speakers: [speaker, 'assistant'],
    });
    const segments = [alone('s1', 'Nora'), alone('s2', 'Maria')];
    expect((await groups([alone('s1', 'Nora'), alone('s2', 'Nora')]))[0]).toEqual([0, 0]);
    expect(await groups(segments)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});

describe('EntityResolution: certain cases', () => {
  const neverAsked: ResolutionJudge = {
    judge: () => {
      throw new Error('asked');
    },
  };

  it('does not ask the judge about speakers, full names, things, and people known in the session', async () => {
    const names = ['Nora', 'Ann Berg', 'Oslo:place', 'kids', 'Alex'];
    const memory = new ResolvingMemory({ judge: neverAsked, embedder: null });
    const first = await memory.add(said('s1', names), said('s1', names));
    const second = await memory.add(said('s1', names), said('s2', names.slice(0, 4)));
    for (const name of names) {
      expect(first.entityOf(1, name), name).toBe(first.entityOf(0, name));
      expect(second.entityOf(0, name), name).toBe(first.entityOf(0, name));
    }
    for (const name of names.slice(0, 4))
      expect(second.entityOf(1, name), name).toBe(first.entityOf(0, name));
    expect(second.entities.every(({ isNew }) => !isNew)).toBe(true);
  });

  it('asks at most twice per batch, and applies the verdicts of the judge', async () => {
    const calls: (readonly EntityToResolve[])[] = [];
    const judge: ResolutionJudge = {
      judge: async (entities) => {
        calls.push(entities);
        return entities.map(({ candidates }) => ({
          match: candidates[0]!.id,
          judgements: candidates.map(({ id }) => ({ id, verdict: 'same', confidence: 1, reason: 'x' })),
        }));
      },
    };
    const memory = new ResolvingMemory({ judge });
    const alex = (await memory.add(bare('s1'))).entityOf(0, 'Alex');
    expect(calls).toHaveLength(0);
    const both = (session: string) => said(session, ['Nora', 'Alex', 'Kim'], 'Alex met Kim.');
    const { entityOf } = await memory.add(both('s2'), both('s3'), both('s4'));
    expect(calls.map((asked) => asked.map(({ name }) => name))).toEqual([
      ['Alex', 'Alex', 'Alex'],
      ['Kim', 'Kim'],
    ]);
    expect([0, 1, 2].map((at) => entityOf(at, 'Alex'))).toEqual([alex, alex, alex]);
    expect(new Set([0, 1, 2].map((at) => entityOf(at, 'Kim'))).size).toBe(1);
  });

  it('never merges two full names, even if the judge says so', async () => {
    const judge: ResolutionJudge = {
      judge: async (entities) =>
        entities.map(({ candidates }) => ({ match: candidates[0]!.id, judgements: [] })),
    };
    const segments = ['Alex Kim', 'Alex', 'Alex Lee'].map((name, at) => said(`s${at}`, [name]));
    const { entityOf } = await new ResolvingMemory({ judge }).resolve(segments);
    expect(entityOf(1, 'Alex')).toBe(entityOf(0, 'Alex Kim'));
    expect(entityOf(2, 'Alex Lee')).not.toBe(entityOf(0, 'Alex Kim'));
  });

  it('without a judge, merges equal names only', async () => {
    const memory = new ResolvingMemory({ judge: null });
    const first = await memory.add(colleague, said('s3', ['game:thing']));
    const second = await memory.add(nephew, said('s4', ['games:thing']));
    expect(second.entityOf(0, 'ALEX')).toBe(first.entityOf(0, 'Alex'));
    expect(second.entityOf(1, 'games')).not.toBe(first.entityOf(1, 'game'));
  });
});

describe('EntityResolution: names', () => {
  it.each([null, undefined])(
    'matches plurals and articles of things, with and without vectors',
    async (embedder) => {
      const memory = new ResolvingMemory(embedder === null ? { embedder } : {});
      const first = await memory.add(said('s1', ['support group:thing', 'Counter-Strike:thing']));
      const names = ['support groups:thing', 'Counter Strike:thing', 'Support Center:thing'];
      const second = await memory.add(said('s2', names));
      expect(second.entityOf(0, 'support groups')).toBe(first.entityOf(0, 'support group'));
      expect(second.entityOf(0, 'Counter Strike')).toBe(first.entityOf(0, 'Counter-Strike'));
      expect(second.entities.filter(({ isNew }) => isNew).map(({ name }) => name)).toEqual([
        'Support Center',
      ]);
      expect([...second.entities[0]!.aliases]).toEqual(['support groups']);
    },
  );

  it('does not move an alias that already names an entity', async () => {
    const memory = new ResolvingMemory();
    await memory.add(colleague);
    const kim = said('s5', ['Alex Kim']);
    const entities = kim.extraction.entities.map((each) => ({ ...each, aliases: ['Alex', 'Al'] }));
    const { entities: found } = await memory.add({ ...kim, extraction: { entities, facts: [] } });
    expect(found[0]!.isNew).toBe(true);
    expect([...found[0]!.aliases]).toEqual(['Al']);
  });

  it('matches a nickname with the name only in its session or company', async () => {
    const melanie = said('s1', ['Melanie', 'Oslo:place'], 'Melanie moved to Oslo.');
    const memory = new ResolvingMemory();
    const id = (await memory.add(melanie)).entityOf(0, 'Melanie');
    expect((await memory.resolve([said('s1', ['Mel'])])).entityOf(0, 'Mel')).toBe(id);
    expect((await memory.resolve([said('s2', ['Mel', 'Oslo:place'])])).entityOf(0, 'Mel')).toBe(id);
    const alone = await memory.resolve([said('s2', ['Mel'])]);
    expect(alone.entityOf(0, 'Mel')).not.toBe(id);
    expect(alone.possiblySame).toMatchObject([{ to: id }]);
  });

  it('accepts any name except a blank one', async () => {
    const names = ['  ', '', 'x'.repeat(10_000), `Y${'y '.repeat(5_000)}`, '😀', '王伟', 'Анна', "Nora's"];
    const memory = new ResolvingMemory();
    const first = await memory.add(said('s1', names));
    expect([first.entityOf(0, ''), first.entityOf(0, '  '), first.entityOf(0, 'nobody')]).toEqual(
      Array(3).fill(undefined),
    );
    expect(first.entities).toHaveLength(6);
    const second = await memory.add(said('s1', names));
    for (const name of names) expect(second.entityOf(0, name)).toBe(first.entityOf(0, name));
    expect(second.entities.some(({ isNew }) => isNew)).toBe(false);
  });
});

describe('EntityResolution: properties', () => {
  const NAMES = ['Alex', 'Alex Kim', 'Alex Lee', 'Ben', 'Mel', 'Melanie', 'kids', 'game:thing', 'Oslo:place'];
  const STATEMENTS = [
    "Nora's colleague Alex came.",
    "Ben's nephew Alex came.",
    "Nora's kids play.",
    'Mel sings.',
  ];
  const batch = (seed: number): SegmentToResolve[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 12 }, () => {
      const names = NAMES.filter(() => random() < 0.4);
      return said(`s${Math.floor(random() * 5)}`, names, pick(STATEMENTS, random));
    });
  };

  it.each([1, 2, 3, 4, 5, 6])(
    'never merges two full names, is deterministic, and changes nothing on a repetition (seed %i)',
    async (seed) => {
      const segments = batch(seed);
      const memory = new ResolvingMemory();
      const first = await memory.resolve(segments);
      const twice = await memory.resolve(segments);
      const shape = ({ entityOf }: typeof first) =>
        numbered(
          segments.flatMap(({ extraction }, at) => extraction.entities.map(({ name }) => entityOf(at, name))),
        );
      expect(shape(twice)).toEqual(shape(first));
      for (const { name, aliases } of first.entities) {
        const full = [name, ...aliases].filter((each) => each.startsWith('Alex '));
        expect(new Set(full).size).toBeLessThan(2);
      }
      for (const { from, to } of first.possiblySame) expect(from).not.toBe(to);
      await memory.add(...segments);
      expect((await memory.resolve(segments)).entities.filter(({ isNew }) => isNew)).toEqual([]);
    },
  );

  it('does not depend on the order of sessions if nothing is ambiguous', async () => {
    const segments = [
      bare('a'),
      said('b', ['Nora', 'Ann Berg', 'game:thing']),
      bare('c'),
      said('d', ['games:thing']),
    ];
    const shapes = [segments, [...segments].reverse()].map(async (order) => {
      const { entityOf } = await new ResolvingMemory().resolve(order);
      return segments.map((segment) => {
        const at = order.indexOf(segment);
        return segments.map((other) => entityOf(at, 'Alex') === entityOf(order.indexOf(other), 'Alex'));
      });
    });
    expect(await shapes[1]).toEqual(await shapes[0]);
  });
});
