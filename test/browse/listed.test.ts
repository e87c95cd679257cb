import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import { freshPath, remember, turn } from '../engine/memory-fixture.ts';

const DAY = 86_400_000;
const START = Date.parse('2024-03-01T09:00:00Z');

describe('lists of what memory holds', () => {
  let mnemis: Mnemis;
  let memory: MemoryScope;
  beforeAll(async () => {
    mnemis = await Mnemis.open({ path: freshPath() });
    memory = mnemis.scope('ana');
    const said = ['I live in Porto.', 'I bought a dog.', 'I moved to Lisbon.', 'I love bread.'];
    await remember(
      memory,
      said.map((content, index) =>
        turn(content, {
          ...{ speaker: index === 3 ? 'Ben' : 'Ana', session: `s${index}` },
          ...{ at: START + index * DAY, source: index === 1 ? 'mail' : 'chat' },
        }),
      ),
    );
    await remember(mnemis.scope('ben'), turn('I live in Oslo.', { speaker: 'Ana' }));
  });
  afterAll(() => mnemis.close());

  const turns = async (request = {}) =>
    (await memory.knowledge.turns(request)).items.map(({ content }) => content);
  const facts = async (request = {}) =>
    (await memory.knowledge.facts(request)).items.map(({ statement }) => statement);

  it('lists turns, the latest first, by what they have to do with', async () => {
    expect(await turns()).toEqual([
      'I love bread.',
      'I moved to Lisbon.',
      'I bought a dog.',
      'I live in Porto.',
    ]);
    expect(await turns({ speaker: 'Ben' })).toEqual(['I love bread.']);
    expect(await turns({ source: 'mail' })).toEqual(['I bought a dog.']);
    expect(await turns({ session: 's2' })).toEqual(['I moved to Lisbon.']);
    expect(await turns({ entity: 'lisbon' })).toEqual(['I moved to Lisbon.']);
    expect(await turns({ from: START + DAY, to: START + 2 * DAY })).toEqual(['I bought a dog.']);
    expect(await turns({ to: '2024-03-02' })).toEqual(['I live in Porto.']);
    expect(await turns({ speaker: 'Nobody' })).toEqual([]);
  });

  it('lists facts that hold and facts that ended, of an entity or a period', async () => {
    const [all, holds, ended] = await Promise.all(
      (['any', 'holds', 'ended'] as const).map((state) => facts({ state })),
    );
    expect(ended).toEqual([expect.stringContaining('Porto')]);
    expect(holds).toContainEqual(expect.stringContaining('Lisbon'));
    expect([...holds!, ...ended!].toSorted()).toEqual(all!.toSorted());
    expect(await facts({ entity: 'Porto' })).toEqual(ended);
    expect(await facts({ by: 'ended', from: START + 2 * DAY, to: START + 3 * DAY })).toEqual(ended);
    expect(await facts({ by: 'ended', from: START + 3 * DAY })).toEqual([]);
    expect(await facts({ by: 'ended' })).toEqual(ended);
    expect(await facts({ from: START, to: START + 1 })).toEqual(ended);
  });

  it('lists facts about what is below a category, and no others', async () => {
    const grouped = mnemis.scope('grouped');
    const animals = ['dog', 'cat', 'parrot', 'rabbit'];
    const said = [
      ...animals.map((each) => `I bought a ${each}.`),
      ...['pizza', 'soup', 'pasta', 'rice'].map((each) => `I love ${each}.`),
    ];
    await remember(
      grouped,
      said.map((content) => turn(content, { speaker: 'Ana', session: content })),
    );
    await grouped.hierarchy.update();
    const { nodes } = await grouped.hierarchy.browse();
    const idOf = (parts: typeof nodes): string | undefined =>
      parts.map(({ id, name, children }) => (name === 'Animals' ? id : idOf(children))).find(Boolean);
    const { items, total } = await grouped.knowledge.facts({ category: idOf(nodes)! });
    expect(items.map(({ statement }) => statement).toSorted()).toEqual(
      animals.map((each) => `Ana bought a ${each}`).toSorted(),
    );
    expect(total).toBe(animals.length);
  });

  it('pages without gaps and repetitions', async () => {
    const paged: string[] = [];
    let after: string | undefined;
    do {
      const page = await memory.knowledge.turns({ limit: 1, after });
      expect(page.total).toBe(4);
      paged.push(...page.items.map(({ content }) => content));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(paged).toEqual(await turns());
  });

  it('pages facts without gaps and repetitions', async () => {
    for (const request of [{}, { entity: 'Ana' }, { state: 'holds' }] as const) {
      const all = await facts(request);
      expect(all.length).toBeGreaterThan(1);
      const paged: string[] = [];
      let after: string | undefined;
      do {
        const page = await memory.knowledge.facts({ ...request, limit: 1, after });
        expect([page.items.length, page.total]).toEqual([1, all.length]);
        paged.push(page.items[0]!.statement);
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(paged).toEqual(all);
    }
  });

  it('leaves out what a person rejected or forgot', async () => {
    const [fact] = (await memory.knowledge.facts({ entity: 'bread' })).items;
    const { correction } = await memory.corrections.rejectFact(fact!.id);
    expect(await facts({ entity: 'bread' })).toEqual([]);
    await memory.corrections.undo(correction);
    expect(await facts({ entity: 'bread' })).toEqual([fact!.statement]);
    const other = mnemis.scope('other');
    await remember(other, turn('I bought a kiln.', { speaker: 'Ana' }));
    for await (const _ of other.forget({ session: (await other.knowledge.turns()).items[0]!.session })) {
    }
    expect((await other.knowledge.turns()).total).toBe(0);
    expect((await other.knowledge.facts()).total).toBe(0);
  });

  it('sees no other scope, and refuses what it does not know', async () => {
    expect((await turns()).join()).not.toContain('Oslo');
    const other = (await mnemis.scope('ben').knowledge.facts()).items[0]!;
    expect(await facts()).not.toContain(other.statement);
    for (const request of [
      { entity: 'Oslo' },
      { category: 'none' },
      { from: 'soon' },
      { limit: 0 },
      { after: 'x' },
    ])
      await expect(memory.knowledge.facts(request), JSON.stringify(request)).rejects.toMatchObject({
        code: 'invalid-input',
      });
    await expect(memory.knowledge.turns({ entity: 'Oslo' })).rejects.toMatchObject({ code: 'invalid-input' });
  });
});
