import { describe, expect, it } from 'vitest';
import { edges, graphOf, reading, turn, using } from '../memory-fixture.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

const OSLO = 'Mara lives in Oslo';
const said = (content: string, at: string) =>
  turn(content, { speaker: 'Mara', session: at, at, sourceId: at });
const oslo = said('I live in Oslo.', '2024-01-10T10:00:00Z');
const lisbon = said('I moved to Lisbon.', '2024-05-03T10:00:00Z');
const rome = said('I moved to Rome.', '2024-09-01T10:00:00Z');
const sea = { ...lisbon, content: 'I love the sea.' };

async function freshMemory(options: Parameters<typeof memoryOver>[1] = {}) {
  return (await memoryOver(watchedStore().store, options)).memory;
}
type Memory = Awaited<ReturnType<typeof freshMemory>>;

async function tell(memory: Memory, ...turns: readonly ReturnType<typeof said>[]) {
  await memory.add(turns);
  return (await memory.flush()).counts;
}

const endsOf = async (memory: Memory) => {
  const { fact } = (await graphOf(memory)).nodes;
  const live = fact.filter(({ expiredAt }) => expiredAt === null);
  const day = (at: number | null) => at && new Date(at).toISOString().slice(0, 10);
  return Object.fromEntries(live.map(({ statement, invalidAt }) => [statement, day(invalidAt)]));
};
const summaryOf = async (memory: Memory, name: string) =>
  reading(await graphOf(memory)).current.find((profile) => profile.name === name)!.summary;

describe('outdated facts', () => {
  it('end, are counted, and stay with what superseded them', async () => {
    const memory = await freshMemory();
    expect(await tell(memory, oslo)).toMatchObject({ facts: 1, outdated: 0 });
    expect(await tell(memory, lisbon)).toMatchObject({ facts: 1, outdated: 1 });
    expect(await endsOf(memory)).toEqual({ [OSLO]: '2024-05-03', 'Mara moved to Lisbon': null });
    const graph = await graphOf(memory);
    const { statementOf } = reading(graph);
    expect(edges(graph, 'SUPERSEDES').map(({ from, to }) => [statementOf(from), statementOf(to)])).toEqual([
      ['Mara moved to Lisbon', OSLO],
    ]);
    expectConsistent(graph);
    // Said again by then: the same fact. Said afterwards: a fact of its own.
    const again = { ...oslo, session: 'b', sourceId: 'b', at: '2024-02-01T10:00:00Z' };
    expect(await tell(memory, again)).toMatchObject({ facts: 0, repeated: 1, outdated: 0 });
    const back = { ...oslo, session: 'c', sourceId: 'c', at: '2024-12-01T10:00:00Z' };
    expect(await tell(memory, back)).toMatchObject({ facts: 1, repeated: 0, outdated: 1 });
    expectConsistent(await graphOf(memory));
  });

  it('end in one batch as in several, and not if the profile says never', async () => {
    const memory = await freshMemory();
    expect(await tell(memory, oslo, lisbon, rome)).toMatchObject({ facts: 3, outdated: 2 });
    const never = await freshMemory({ stages: () => ({ superseder: null }) });
    expect(await tell(never, oslo, lisbon, rome)).toMatchObject({ facts: 3, outdated: 0 });
    expect(edges(await graphOf(never), 'SUPERSEDES')).toEqual([]);
  });

  it('are not current in any profile', async () => {
    const memory = await freshMemory();
    await tell(memory, oslo, { ...oslo, ...said('I play the cello.', '2024-01-11T10:00:00Z') });
    expect(await summaryOf(memory, 'Mara')).toMatch(/Oslo/);
    expect(await summaryOf(memory, 'Oslo')).toBe(`${OSLO}.`);
    // A version of each is due, though nothing has doubled.
    await tell(memory, lisbon);
    expect(await summaryOf(memory, 'Mara')).toMatch(/Lisbon.*cello/);
    expect(await summaryOf(memory, 'Mara')).not.toMatch(/Oslo/);
    expect(await summaryOf(memory, 'Oslo')).toBe(`${OSLO} (until 2024-05-03).`);
    expectConsistent(await graphOf(memory));
  });

  it('expire by a correction, and are in no profile', async () => {
    const memory = await freshMemory();
    await tell(memory, said('My sister Lily lives in Ghent.', '2024-03-01T10:00:00Z'));
    const wrong = said('I was wrong. Lily lives in Bruges, not in Ghent.', '2024-03-29T10:00:00Z');
    expect(await tell(memory, wrong)).toMatchObject({ outdated: 1 });
    const statements = Object.keys(await endsOf(memory));
    expect(statements.filter((each) => /Ghent/.test(each) && !/Bruges/.test(each))).toEqual([]);
    expect(await summaryOf(memory, 'Lily')).toMatch(/Bruges/);
    expectConsistent(await graphOf(memory));
  });
});

describe('a changed turn that had ended a fact', () => {
  it('lets it hold again at once, and updates the profiles', async () => {
    const memory = await freshMemory();
    await tell(memory, oslo);
    await tell(memory, lisbon);
    await memory.add(sea);
    expect((await endsOf(memory))[OSLO]).toBeNull();
    expect(await summaryOf(memory, 'Mara')).toMatch(/Oslo/);
    await memory.flush();
    expect(await endsOf(memory)).toMatchObject({ [OSLO]: null, 'Mara loves the sea': null });
    expectConsistent(await graphOf(memory));
  });

  it('does not change the end if a later fact ended it, though that had not ended it before', async () => {
    const memory = await freshMemory();
    await tell(memory, oslo, lisbon, rome);
    const superseding = edges(await graphOf(memory), 'SUPERSEDES').length;
    await memory.add(sea);
    expect((await endsOf(memory))[OSLO]).toBe('2024-09-01');
    expect(edges(await graphOf(memory), 'SUPERSEDES')).toHaveLength(superseding + 1);
    await memory.flush();
    expect(await endsOf(memory)).toMatchObject({ [OSLO]: '2024-09-01', 'Mara moved to Rome': null });
    expectConsistent(await graphOf(memory));
  });

  it('ends it with its new words, too, and adds nothing twice when it is read again', async () => {
    const memory = await freshMemory();
    const both = [
      lisbon,
      { ...lisbon, content: 'I play the cello.', sourceId: 'x', at: '2024-05-03T10:01:00Z' },
    ];
    await tell(memory, oslo, ...both);
    await memory.add({ ...both[1]!, content: 'I play the violin.' });
    expect((await memory.flush()).counts).toMatchObject({ consolidated: 2 });
    expect(await endsOf(memory)).toEqual({
      [OSLO]: '2024-05-03',
      'Mara moved to Lisbon': null,
      'Mara plays the violin': null,
    });
    await memory.add({ ...lisbon, content: 'I moved to Porto.' });
    await memory.flush();
    expect((await endsOf(memory))[OSLO]).toBe('2024-05-03');
    expectConsistent(await graphOf(memory));
  });
});

describe('given facts', () => {
  const given = (statement: string, validAt: string) => ({
    statement,
    subject: 'Mara',
    evidence: [{ session: lisbon.session!, index: 0 }],
    validAt,
  });

  it('end existing facts, and are ended by them when they are older', async () => {
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await memory.add([oslo, lisbon]);
      await memory.flush();
      await memory.addFacts([given('Mara moved to Rome', '2024-09-01T10:00:00Z')]);
      await memory.addFacts([given('Mara moved to Hamburg', '2021-03-01T00:00:00Z')]);
      expect(await endsOf(memory)).toEqual({
        [OSLO]: '2024-05-03',
        'Mara moved to Lisbon': '2024-09-01',
        'Mara moved to Rome': null,
        'Mara moved to Hamburg': '2024-01-10',
      });
      expect(await summaryOf(memory, 'Mara')).toBe('Mara moved to Rome.');
      expectConsistent(await graphOf(memory));
    });
  });
});
