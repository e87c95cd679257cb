import { describe, expect, it } from 'vitest';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { MalformedReplyError } from '../../../src/errors/index.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { memoryOver, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { edges, graphOf, remember } from '../../engine/memory-fixture.ts';
import { expectWithout, idsOf, PLAIN, SECRET, session, wordsIn } from './forget-lab.ts';

async function filled(turns: readonly (typeof SECRET)[number][], model?: LanguageModel) {
  const watched = watchedStore();
  const { memory } = await memoryOver(watched.store, model === undefined ? {} : { model });
  await remember(memory, turns);
  return { ...watched, memory };
}

/** The same statement in two sessions is one fact with two turns as evidence. */
const SAID_TWICE = [
  ...session('one', ['Ann: I adopted a beagle called Rex.']),
  ...session('two', ['Ann: I adopted a beagle called Rex.'], 3),
];

describe('rows removed with turns', () => {
  it('do not include a fact that another turn supports, though its evidence in them is removed', async () => {
    const { memory } = await filled(SAID_TWICE);
    const before = await graphOf(memory);
    expect(before.nodes.fact).toHaveLength(1);
    expect(edges(before, 'EVIDENCED_BY').filter(({ fromKind }) => fromKind === 'fact')).toHaveLength(2);
    expect((await memory.forget({ session: 'one' })).proof.clean).toBe(true);
    const after = await graphOf(memory);
    expect(after.nodes.fact.map(({ id }) => id)).toEqual(before.nodes.fact.map(({ id }) => id));
    expect(edges(after, 'EVIDENCED_BY').filter(({ fromKind }) => fromKind === 'fact')).toHaveLength(1);
    await memory.forget({ session: 'two' });
    expect((await graphOf(memory)).nodes.fact).toEqual([]);
  });

  it('include a given fact with the last turn that supports it', async () => {
    const { memory } = await filled([...SECRET, ...PLAIN]);
    const [zither] = await idsOf(memory, 'zither');
    const [oslo] = await idsOf(memory, 'Oslo');
    await memory.addFacts([
      { statement: 'Ann is fond of strings', subject: 'Ann', evidence: [{ id: zither! }, { id: oslo! }] },
      {
        statement: 'Ann owns an ocarina',
        subject: 'Ann',
        object: 'ocarina',
        relation: 'own',
        evidence: [{ id: zither! }],
      },
    ]);
    await memory.forget({ session: 'secret' });
    const graph = await graphOf(memory);
    expectWithout(graph, ['ocarina']);
    expect(graph.nodes.fact.some(({ statement }) => statement === 'Ann is fond of strings')).toBe(true);
  });

  it('include no given fact on a turn that is to be read again: nobody would state it again', async () => {
    const { memory } = await filled(SECRET);
    const [lives] = await idsOf(memory, 'lives in Ghent');
    const [clinic] = await idsOf(memory, 'clinic');
    await memory.addFacts([
      { statement: 'Quentin likes herring', subject: 'Quentin Marlowe', evidence: [{ id: lives! }] },
    ]);
    await memory.forget({ episode: clinic! });
    await memory.flush();
    const { fact } = (await graphOf(memory)).nodes;
    expect(fact.filter(({ statement }) => statement === 'Quentin likes herring')).toHaveLength(1);
  });

  it('let facts that they had ended hold again', async () => {
    const { memory } = await filled([
      ...session('one', ['Ann: I live in Oslo.']),
      ...session('two', ['Ann: I moved to Lisbon.', 'Ann: I live in Lisbon now.'], 30),
    ]);
    const before = await graphOf(memory);
    const oslo = before.nodes.fact.find(({ statement }) => statement.includes('Oslo'));
    expect(oslo?.invalidAt).toEqual(expect.any(Number));
    await memory.forget({ session: 'two' });
    const graph = await graphOf(memory);
    expectWithout(graph, ['Lisbon']);
    expect(graph.nodes.fact).toMatchObject([{ id: oslo!.id, invalidAt: null, expiredAt: null }]);
    expect(edges(graph, 'SUPERSEDES')).toEqual([]);
  });

  it('let facts that they had corrected be believed again', async () => {
    const { memory } = await filled([
      ...session('one', ['Noah: My sister Lily lives in Oslo with two cats.']),
      ...session('two', ['Noah: Oh, I was wrong about that. Lily lives in Bergen, not in Oslo.'], 28),
    ]);
    const before = (await graphOf(memory)).nodes.fact.find(({ statement }) => statement.includes('Oslo'));
    expect(before?.expiredAt).toEqual(expect.any(Number));
    await memory.forget({ session: 'two' });
    const graph = await graphOf(memory);
    expectWithout(graph, ['Bergen']);
    expect(graph.nodes.fact).toMatchObject([{ id: before!.id, invalidAt: null, expiredAt: null }]);
    expect((await memory.search('Where does Lily live?')).facts.map(({ id }) => id)).toEqual([before!.id]);
  });

  it('include a failure record once none of its turns remains', async () => {
    const model = new RehearsalModel();
    const poisoned: LanguageModel = {
      name: 'poisoned',
      contextTokens: null,
      countTokens: (text) => model.countTokens(text),
      text: (...input) => model.text(...input),
      structured: async (prompt, input, options) => {
        if (prompt.render(input).user.includes('dermatology'))
          throw new MalformedReplyError({
            model: 'poisoned',
            prompt: prompt.name,
            issues: [],
            truncated: false,
          });
        return model.structured(prompt, input, options);
      },
    };
    const { memory } = await filled([...SECRET, ...PLAIN], poisoned);
    expect((await memory.stats()).enrichment).toMatchObject({ setAside: 3, pending: 0 });
    const [clinic] = await idsOf(memory, 'clinic');
    expect(await memory.forget({ episode: clinic! })).toMatchObject({ reread: 2 });
    expect((await memory.stats()).enrichment).toMatchObject({ setAside: 0, pending: 2, failures: [] });
    await memory.flush();
    expect(wordsIn(await graphOf(memory))).toContain('Marlowe lives in Ghent');
    await memory.forget({ session: 'secret' });
    expect((await graphOf(memory)).nodes.failure).toEqual([]);
  });

  it('include corrections of removed rows, and no others', async () => {
    const { memory } = await filled([...SECRET, ...PLAIN]);
    const { fact } = (await graphOf(memory)).nodes;
    const find = (part: string) => fact.find(({ statement }) => statement.includes(part))!.id;
    await memory.corrections.editFact(find('zither'), { statement: 'Ann takes dulcimer lessons' });
    await memory.corrections.editFact(find('Oslo'), { statement: 'Ann moved to Oslo for good' });
    const report = await memory.forget({ session: 'secret' });
    expect(report.proof).toMatchObject({ clean: true });
    const graph = await graphOf(memory);
    expect(wordsIn(graph)).not.toContain('dulcimer');
    expect(wordsIn(graph)).not.toContain('zither');
    expect(graph.nodes.correction.map(({ kind }) => kind).sort()).toEqual(['edit-fact', 'forget']);
    expect(wordsIn(graph)).toContain('Oslo for good');
  });

  it('include no store item', async () => {
    const { memory, store } = await filled(SECRET);
    const item = { id: 'i', namespace: ['n'], key: 'k', value: '"zither"', createdAt: 1, expiredAt: null };
    await store.commit(memory.name, { nodes: { item: [item as never] } });
    const report = await memory.forget({ session: 'secret' });
    expect(report.proof.clean).toBe(true);
    expect((await graphOf(memory)).nodes.item).toHaveLength(1);
    await memory.forget({ all: true });
    expect((await graphOf(memory)).nodes.item).toEqual([]);
  });
});

describe('the proof', () => {
  it('finds remnants, and says where without quoting them', async () => {
    const { memory, store } = await filled([...SECRET, ...PLAIN]);
    const orphan = (await graphOf(memory)).nodes.fact.find(({ statement }) => statement.includes('clinic'))!;
    // A row that rests on no turn, as a defect would leave it.
    await store.commit(memory.name, { nodes: { fact: [{ ...orphan, id: 'orphan' as never }] } });
    const { proof } = await memory.forget({ session: 'secret' });
    expect(proof.clean).toBe(false);
    expect(proof.findings).toContainEqual({
      holder: 'graph',
      where: 'fact.statement',
      texts: expect.any(Number),
    });
    expect(JSON.stringify(proof)).not.toContain('clinic');
  });

  it('does not report a text that a remaining turn contains, too', async () => {
    const { memory } = await filled([...SAID_TWICE, ...PLAIN]);
    const { proof } = await memory.forget({ session: 'one' });
    expect(proof.clean).toBe(true);
    expect(proof.alsoElsewhere).toBeGreaterThan(0);
  });
});
