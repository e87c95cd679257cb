import { afterAll, describe, expect, it } from 'vitest';
import type { FactInput } from '../../src/model/fact-input.ts';
import { edges, freshPath, graphOf, open, reading, turn } from './memory-fixture.ts';

let count = 0;
const mnemis = await open(freshPath());
afterAll(() => mnemis.close());

async function memoryOfOneTurn() {
  const memory = mnemis.scope(`scope ${++count}`);
  const said = turn('blah blah', { session: 's', index: 4, source: 'mail', sourceId: '<7>' });
  const { outcomes } = await memory.add(said);
  return { memory, id: (outcomes[0] as { id: string }).id };
}

const statement = 'Gina plays the xylophone';

describe('addFacts', () => {
  it('keeps names on one line, without terminal control characters', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const names = ['\u001b[31mRED\u001b[0m cat', 'dog\nK9', ' evil\u202egnp.exe '];
    await memory.addFacts([{ statement, participants: names, evidence: [{ id }] }]);
    const known = (await memory.search('red dog evil', { recipe: 'system1' })).entities;
    expect(known.map(({ name }) => name).sort()).toEqual(['[31mRED [0m cat', 'dog K9', 'evil gnp.exe']);
    const { rejected } = await memory.addFacts([{ statement, subject: '\n', evidence: [{ id }] }]);
    expect(rejected).toBe(1);
  });

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

  it('recognises an existing fact, in memory or in the same call', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const fact: FactInput = { statement, subject: 'Gina', evidence: [{ id }] };
    const first = await memory.addFacts([fact, fact]);
    expect(first.outcomes.map(({ status }) => status)).toEqual(['added', 'known']);
    const again = await memory.addFacts([fact, { ...fact, statement: 'Gina plays the lute' }]);
    expect(again.outcomes.map(({ status }) => status)).toEqual(['known', 'added']);
    expect(again.outcomes[0]).toMatchObject({ id: (first.outcomes[0] as { id: string }).id });
    expect((await memory.stats()).fact).toBe(2);
  });

  it('rewrites the profile of an existing entity as its facts double', async () => {
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
  ])('rejects %s, keeps the other facts, and repeats no words', async (_, wrong) => {
    const { memory, id } = await memoryOfOneTurn();
    const good = { statement, evidence: [{ id }] };
    const result = await memory.addFacts([{ ...good, ...wrong } as FactInput, good]);
    expect(result).toMatchObject({ added: 1, rejected: 1 });
    expect(result.outcomes.map(({ status }) => status)).toEqual(['rejected', 'added']);
    expect(JSON.stringify(result.outcomes)).not.toMatch(/xylophone|Gina/);
    expect((await memory.stats()).fact).toBe(1);
  });

  it('keeps the given times, and derives the kind from the parts', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const times = { validAt: '2020-01-01', invalidAt: new Date(5) };
    await memory.addFacts([{ statement, ...times, evidence: [{ id }], subject: 'Gina', relation: 'play' }]);
    const { facts, current } = reading(await graphOf(memory));
    expect(facts).toMatchObject([{ kind: 'proposition', validAt: Date.UTC(2020, 0, 1), invalidAt: 5 }]);
    expect(current.map(({ name }) => name)).toEqual(['Gina']);
  });

  const secret = '4111 1111 1111 1111';
  it.each<[string, Partial<FactInput>]>([
    ['statement', { statement: `Gina pays with ${secret}` }],
    ['subject', { subject: `Gina ${secret}` }],
    ['relation', { relation: `pay with ${secret}` }],
    ['object', { object: `card ${secret}` }],
    ['participants', { participants: ['Rome', `card ${secret}`] }],
  ])('redacts a secret in its %s', async (_, more) => {
    const { memory, id } = await memoryOfOneTurn();
    const { added } = await memory.addFacts([{ statement, subject: 'Gina', evidence: [{ id }], ...more }]);
    expect(added).toBe(1);
    const text = JSON.stringify(await graphOf(memory));
    expect(text).not.toMatch(/4111 ?1111/);
    expect(text).toContain('[redacted: card number]');
  });

  it('creates no entity for a name that is nothing but a secret', async () => {
    const { memory, id } = await memoryOfOneTurn();
    const fact = { statement, relation: 'play', evidence: [{ id }] };
    await memory.addFacts([
      { ...fact, subject: secret, object: 'xylophone', participants: ['Gina', secret] },
    ]);
    const graph = await graphOf(memory);
    const { current, facts } = reading(graph);
    expect(current.map(({ name }) => name).toSorted()).toEqual(['Gina', 'xylophone']);
    expect(facts.map(({ kind }) => kind)).toEqual(['proposition']);
  });

  it.each<[string, Partial<FactInput>]>([
    ['statement', { statement: 'Gina knows Project Falcon' }],
    ['subject', { subject: 'Project Falcon' }],
    ['relation', { relation: 'work on project falcon' }],
    ['object', { object: 'Project Falcon' }],
    ['participants', { participants: ['Gina', 'the project falcon team'] }],
  ])('is rejected for a phrase of neverRemember in its %s', async (_, more) => {
    await using engine = await open(':memory:', { neverRemember: ['Project Falcon'] });
    const memory = engine.scope('a');
    const { outcomes } = await memory.add(turn('blah blah'));
    const { id } = outcomes[0] as { id: string };
    const fact: FactInput = { statement, subject: 'Gina', evidence: [{ id }] };
    const result = await memory.addFacts([{ ...fact, ...more }, fact]);
    expect(result.outcomes).toEqual([
      { status: 'rejected', reason: 'rule 1 of neverRemember' },
      expect.objectContaining({ status: 'added' }),
    ]);
    expect(JSON.stringify(await graphOf(memory))).not.toMatch(/falcon/i);
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
