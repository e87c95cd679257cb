import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knowledgeHandlers } from '../../../../main/assistant/knowledge/knowledge-handlers.ts';
import { writePreferences } from '../../../../main/assistant/store/read-preferences.ts';
import type { Portrait } from '../../../../main/contract.ts';
import { AppPartLab } from '../app-part-lab.ts';

const ANIMALS = ['dog', 'cat', 'parrot', 'rabbit'];
const FOODS = ['bread', 'cheese', 'pizza', 'soup', 'pasta', 'rice'];
const SAID = [
  ...ANIMALS.map((animal) => `I bought a ${animal}.`),
  ...FOODS.map((food) => `I love ${food}.`),
  'I moved to Lisbon.',
];
const TURNS = SAID.flatMap((content, at) => {
  const place = { session: 's1', at: `2024-01-0${1 + (at % 9)}T10:00:00Z` };
  return [
    { ...place, content, speaker: 'Ana', role: 'user' as const, index: 2 * at },
    { ...place, content: 'Noted.', speaker: 'assistant', role: 'assistant' as const, index: 2 * at + 1 },
  ];
});
const scope = 'ana';

describe('what memory knows', () => {
  let lab: AppPartLab;
  let knowledge: ReturnType<typeof knowledgeHandlers>;
  beforeAll(async () => {
    lab = await AppPartLab.open();
    knowledge = knowledgeHandlers(lab.context);
    await lab.engine.scope(scope).add(TURNS);
    await lab.engine.scope(scope).flush();
    await lab.engine
      .scope(scope)
      .add({ content: 'I sold my kiln.', speaker: 'Ben', role: 'other', session: 's2', at: '2024-02-01' });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const turnSaying = async (words: string) => {
    const { turns } = await knowledge.session({ scope, session: 's1', after: 100 }, {});
    return turns.find(({ content }) => content.includes(words))!.id;
  };

  it('tells what it learned of turns', async () => {
    const [dog, lisbon] = [await turnSaying('dog'), await turnSaying('Lisbon')];
    const other = (await knowledge.session({ scope, session: 's2' }, {})).turns[0]!.id;
    const learned = await knowledge.learned({ scope, episodes: [lisbon, dog, 'none', other, dog] }, {});
    expect(learned.turns).toEqual([
      { id: lisbon, text: 'I moved to Lisbon.', speaker: 'Ana', isRead: true },
      { id: dog, text: 'I bought a dog.', speaker: 'Ana', isRead: true },
      { id: other, text: 'I sold my kiln.', speaker: 'Ben', isRead: false },
    ]);
    expect(learned.pending).toBe(1);
    expect(learned.facts.map(({ statement }) => statement)).toEqual([
      expect.stringContaining('dog'),
      expect.stringContaining('Lisbon'),
    ]);
    const said = Date.parse('2024-01-01T10:00:00Z');
    expect(learned.facts[0]).toMatchObject({
      ...{ validAt: said, saidAt: said, invalidAt: null, isPinned: false },
      sources: [{ episode: dog, session: 's1', index: 0 }],
    });
  });

  it('sees corrections at once: a pinned fact, a rejected one', async () => {
    const parrot = await turnSaying('parrot');
    const { corrections } = lab.engine.scope(scope);
    const fact = async () => (await knowledge.learned({ scope, episodes: [parrot] }, {})).facts[0];
    const { id } = (await fact())!;
    const pin = await corrections.pinFact(id);
    expect(await fact()).toMatchObject({ id, isPinned: true });
    await corrections.undo(pin.correction);
    const rejected = await corrections.rejectFact(id);
    expect(await fact()).toBeUndefined();
    await corrections.undo(rejected.correction);
    expect(await fact()).toMatchObject({ isPinned: false });
  });

  it('paints the user in sections, each with its latest facts first', async () => {
    const portrait = await knowledge.portrait({ scope }, {});
    expect(portrait).toMatchObject({
      entity: { name: 'Ana', isUser: true },
      past: [],
      turns: SAID.length,
      since: Date.parse('2024-01-01T10:00:00Z'),
    });
    expect(portrait.people[0]).toMatchObject({ name: 'Ana', facts: portrait.facts });
    expect(portrait.sections.map(({ title, total }) => [title, total])).toEqual([
      ['Home and places', 1],
      ['Likes and dislikes', 6],
      ['Things and animals', 4],
    ]);
    for (const { facts } of portrait.sections) {
      const times = facts.map(({ validAt }) => validAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    }
    const [home] = portrait.sections[0]!.facts;
    expect(home).toMatchObject({ statement: 'Ana moved to Lisbon', said: 'You moved to Lisbon' });
    expect(portrait.summary).toContain('You moved to Lisbon. You love ');
    expect(sum(portrait)).toBe(portrait.facts);
    expect(listed(portrait)).toHaveLength(portrait.facts);
  });

  it('lists the first facts of every section, and counts them all', async () => {
    const whole = await knowledge.portrait({ scope }, {});
    for (const limit of [1, 2, 6]) {
      const portrait = await knowledge.portrait({ scope, limit }, {});
      for (const { facts, total } of portrait.sections) expect(facts).toHaveLength(Math.min(limit, total));
      expect(sum(portrait)).toBe(whole.facts);
      expect(portrait.facts).toBe(whole.facts);
    }
  });

  it('lists what ended as past', async () => {
    const dog = await turnSaying('dog');
    const { corrections } = lab.engine.scope(scope);
    const before = await knowledge.portrait({ scope }, {});
    const { facts } = await knowledge.learned({ scope, episodes: [dog] }, {});
    const edited = await corrections.editFact(facts[0]!.id, { invalidAt: '2024-01-20' });
    const after = await knowledge.portrait({ scope }, {});
    expect(after.past).toMatchObject([
      { statement: facts[0]!.statement, invalidAt: Date.parse('2024-01-20') },
    ]);
    expect(after.facts).toBe(before.facts - 1);
    await corrections.undo(edited.correction);
  });

  it('paints somebody else by name, and refuses who is not there', async () => {
    const lisbon = await knowledge.portrait({ scope, entity: 'lisbon' }, {});
    expect(lisbon.entity).toMatchObject({ name: 'Lisbon' });
    expect(lisbon).toMatchObject({ facts: 1, turns: 1 });
    await expect(knowledge.portrait({ scope, entity: 'Nobody' }, {})).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(await knowledge.portrait({ scope: 'empty' }, {})).toEqual({
      ...{ entity: null, people: [], summary: '', sections: [], past: [], facts: 0, turns: 0, since: null },
    });
  });

  it('takes the name of the preferences for the user', async () => {
    writePreferences(lab.context.store, { name: 'LISBON' });
    expect((await knowledge.portrait({ scope }, {})).entity).toMatchObject({ name: 'Lisbon' });
    writePreferences(lab.context.store, { name: 'Someone unknown' });
    expect((await knowledge.portrait({ scope }, {})).entity).toMatchObject({ name: 'Ana' });
    writePreferences(lab.context.store, { name: '' });
  });

  it('takes the speaker of the user’s turns, not the most talkative one', async () => {
    const group = 'group';
    const say = (speaker: string, role: 'user' | 'other', count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ speaker, role, index, session: speaker, at: '2024-01-05', content: `I like tea ${index}.` },
      }));
    await lab.engine.scope(group).add([...say('Loud', 'other', 9), ...say('Me', 'user', 3)]);
    await lab.engine.scope(group).flush();
    expect(await knowledge.portrait({ scope: group }, {})).toMatchObject({
      ...{ entity: { name: 'Me' }, turns: 3 },
    });
  });

  it('shows a session around a turn', async () => {
    const episode = await turnSaying('Lisbon');
    const total = TURNS.length;
    const page = await knowledge.session({ scope, episode, before: 3, after: 1 }, {});
    expect(page).toMatchObject({ session: 's1', total, first: total - 5 });
    expect(page.turns.map(({ index }) => index)).toEqual([
      total - 5,
      total - 4,
      total - 3,
      total - 2,
      total - 1,
    ]);
    const all = await knowledge.session({ scope, episode, before: 500, after: 500 }, {});
    expect(all).toMatchObject({ first: 0, total });
    expect(all.turns).toHaveLength(total);
    const start = await knowledge.session({ scope, session: 's1', after: 2 }, {});
    expect(start.turns.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(await knowledge.session({ scope, session: 'none' }, {})).toMatchObject({ turns: [], total: 0 });
    for (const request of [{}, { episode: 'none' }, { episode, session: 's2' }])
      await expect(knowledge.session({ scope, ...request }, {})).rejects.toMatchObject({
        code: 'invalid-input',
      });
  });

  it('centres on the current version of a turn that was replaced', async () => {
    const memory = lab.engine.scope('versions');
    const turns = ['one', 'two', 'three'].map((content, index) => ({
      ...{ content, index, session: 's', at: '2024-01-05' },
    }));
    await memory.add(turns);
    const { turns: before } = await knowledge.session({ scope: 'versions', session: 's' }, {});
    await memory.add({ ...turns[1]!, content: 'two, put right' });
    const page = await knowledge.session(
      { scope: 'versions', episode: before[1]!.id, before: 0, after: 0 },
      {},
    );
    expect(page).toMatchObject({ first: 1, total: 3, turns: [{ content: 'two, put right' }] });
  });

  it.each([1, 4, 500])('pages backwards through every change, by %i', async (limit) => {
    const { feed, pages } = await allChanges(limit);
    expect(pages.flat()).toEqual(feed.toReversed());
    expect(feed.length).toBeGreaterThan(TURNS.length);
  });

  it('repeats and skips nothing while memory changes', async () => {
    const first = await knowledge.recentChanges({ scope, limit: 3 }, {});
    await lab.engine.scope(scope).add({ content: 'A later turn.', session: 's9', at: '2024-03-01' });
    const second = await knowledge.recentChanges({ scope, limit: 500, before: first.next! }, {});
    const { feed } = await allChanges(500);
    expect([...first.changes, ...second.changes]).toEqual(feed.toReversed().slice(1));
    expect((await knowledge.recentChanges({ scope, before: '1970-01-02' }, {})).changes).toEqual([]);
    await expect(knowledge.recentChanges({ scope, before: 'never' }, {})).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  async function allChanges(limit: number) {
    const feed = [];
    for await (const change of lab.engine.scope(scope).changes({ follow: false })) feed.push(change);
    const pages = [];
    let before: number | null | undefined;
    while (before !== null) {
      const page = await knowledge.recentChanges({ scope, limit, before }, {});
      pages.push(page.changes);
      before = page.next;
    }
    return { feed, pages };
  }
});

const sum = ({ sections }: Portrait) => sections.reduce((total, section) => total + section.total, 0);
const listed = ({ sections }: Portrait) => sections.flatMap(({ facts }) => facts);
