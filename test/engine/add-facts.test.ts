import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mnemis } from '../../src/engine.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import { edges, freshPath, graphOf, open, reading, turn } from './memory-fixture.ts';

let mnemis: Mnemis;
let count = 0;
beforeAll(async () => {
  mnemis = await open(freshPath());
});
afterAll(() => mnemis.close());

async function memoryOfOneTurn() {
  const memory = mnemis.scope(`scope ${++count}`);
  const said = turn('blah blah', { session: 's', index: 4, source: 'mail', sourceId: '<7>' });
  const { outcomes } = await memory.add(said);
  return { memory, id: (outcomes[0] as { id: string }).id };
}

const statement = 'Gina plays the xylophone';

describe('addFacts', () => {
  it.each([
    { by: 'id', evidence: (id: string): FactInput['evidence'][number] => ({ id }) },
    { by: 'session and index', evidence: () => ({ session: 's', index: 4 }) },
    { by: 'source and sourceId', evidence: () => ({ source: 'mail', sourceId: '<7>' }) },
  ])('finds its evidence by $by, and is found by search', async ({ evidence }) => {
    const { memory, id } = await memoryOfOneTurn();
    const fact: FactInput = {
      statement,
      subject: 'Gina',
      relation: 'play',
      object: 'xylophone',
      participants: ['Rome', 'Gina'],
      evidence: [evidence(id), { id }],
      confidence: 0.5,
    };
    const { outcomes, ...counts } = await memory.addFacts([fact]);
    expect(counts).toEqual({ added: 1, known: 0, rejected: 0 });
    const { facts, entities } = await memory.search('xylophone');
    expect(facts[0]).toMatchObject({
      id: (outcomes[0] as { id: string }).id,
      statement,
      factKind: 'relation',
      confidence: 0.5,
      validAt: Date.UTC(2023, 4, 8, 10),
      sources: [{ episode: id, session: 's', index: 4 }],
    });
    expect(entities.map(({ name }) => name)).toContain('xylophone');
    const graph = await graphOf(memory);
    const { nameOf } = reading(graph);
    const about = edges(graph, 'ABOUT').map(({ to, role }) => [nameOf(to), role]);
    expect(about).toEqual([
      ['Gina', 'subject'],
      ['xylophone', 'object'],
      ['Rome', 'participant'],
    ]);
    expect(edges(graph, 'EVIDENCED_BY')).toHaveLength(1);
  });

  it('knows a fact that is there already, in memory or in the same call', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const fact: FactInput = { statement, subject: 'Gina', evidence: [{ id }] };
    const first = await memory.addFacts([fact, fact]);
    expect(first.outcomes.map(({ status }) => status)).toEqual(['added', 'known']);
    const again = await memory.addFacts([fact, { ...fact, statement: 'Gina plays the lute' }]);
    expect(again.outcomes.map(({ status }) => status)).toEqual(['known', 'added']);
    expect(again.outcomes[0]).toMatchObject({ id: (first.outcomes[0] as { id: string }).id });
    expect((await memory.stats()).fact).toBe(2);
  });

  it('renews the profile of an entity that is there as its facts double', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const fact = { subject: 'Gina', evidence: [{ id }] };
    await memory.addFacts([{ ...fact, statement }]);
    await memory.addFacts([{ ...fact, statement: 'Gina moved to Rome' }]);
    const { entities } = await memory.search('Gina');
    expect(entities.find(({ name }) => name === 'Gina')?.summary).toContain('Rome');
  });

  it.each<[string, Partial<FactInput> & Record<string, unknown>]>([
    ['an unknown id', { evidence: [{ id: 'nobody' }] }],
    ['an unknown place', { evidence: [{ session: 's', index: 5 }] }],
    ['an unknown source', { evidence: [{ source: 'chat', sourceId: '<7>' }] }],
    ['evidence that is there in part', { evidence: [{ session: 's', index: 4 }, { id: 'nobody' }] }],
    ['no evidence', { evidence: [] }],
    ['an empty statement', { statement: ' ' }],
    ['a bad time', { validAt: 'xylophone time' }],
    ['a bad end', { invalidAt: '2023-02-30' }],
    ['too much confidence', { confidence: 2 }],
    ['an unknown field', { mood: 'xylophone' }],
  ])('rejects %s, keeps the rest, and repeats no words', async (_, wrong) => {
    const { memory, id } = await memoryOfOneTurn();
    const good = { statement, evidence: [{ id }] };
    const result = await memory.addFacts([{ ...good, ...wrong } as FactInput, good]);
    expect(result).toMatchObject({ added: 1, rejected: 1 });
    expect(result.outcomes.map(({ status }) => status)).toEqual(['rejected', 'added']);
    expect(JSON.stringify(result.outcomes)).not.toMatch(/xylophone|Gina/);
    expect((await memory.stats()).fact).toBe(1);
  });

  it('takes times as they are given, and kind from its parts', async () => {
    const { memory, id } = await memoryOfOneTurn();
    await memory.addFacts([
      { statement, validAt: '2020-01-01', invalidAt: new Date(5), evidence: [{ id }], subject: 'Gina' },
    ]);
    expect((await memory.search('xylophone')).facts[0]).toMatchObject({
      factKind: 'proposition',
      validAt: Date.UTC(2020, 0, 1),
      invalidAt: 5,
    });
  });

  it('stores nothing when cancelled', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const signal = AbortSignal.abort();
    await expect(memory.addFacts([{ statement, evidence: [{ id }] }], { signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect((await memory.stats()).fact).toBe(0);
  });
});
