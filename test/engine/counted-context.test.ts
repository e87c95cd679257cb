import { afterAll, describe, expect, it } from 'vitest';
import type { MemoryContext } from '../../src/answer/memory-context.ts';
import { Mnemis } from '../../src/engine.ts';
import { InvalidInputError } from '../../src/errors/index.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';

const engine = await Mnemis.open({ path: ':memory:', automatic: false });
afterAll(() => engine.close());
const memory = engine.scope('counted');
await memory.add(
  Array.from({ length: 30 }, (_, at) => ({
    ...{ session: `s${at % 5}`, speaker: at % 2 === 0 ? 'Ana' : 'Ben', at: `2024-01-${10 + (at % 15)}` },
    content: `I bought a kayak of ${at + 3} metres in Ghent, and my sister Nora lives in Bruges${at}.`,
  })),
);
await memory.flush();

const QUESTION = 'Who bought a kayak in Ghent?';
const kinds = ({ sources }: Pick<MemoryContext, 'sources'>) =>
  ['episode', 'fact', 'entity'].map((kind) => sources.filter(({ item }) => item.kind === kind).length);

describe('a context of counted items', () => {
  it('has so many of the best of each kind, whatever they take', async () => {
    const block = await memory.context(QUESTION, { contextForm: { turns: 12, facts: 3, entities: 2 } });
    expect(kinds(block)).toEqual([12, 3, 2]);
    const best = block.search.ranked.episodes.slice(0, 12).map(({ id }) => id);
    expect(
      block.sources.flatMap(({ item }) => (item.kind === 'episode' ? [item.id as string] : [])).toSorted(),
    ).toEqual(best.toSorted());
    expect(block.leftOut).toBe(0);
  });

  it('has the facts that cite its turns, and no others', async () => {
    const { sources } = await memory.context(QUESTION, {
      contextForm: { turns: 3, facts: 'citing', entities: 0 },
    });
    const turns = sources.flatMap(({ item }) => (item.kind === 'episode' ? [item.id as string] : []));
    const facts = sources.flatMap(({ item }) => (item.kind === 'fact' ? [item] : []));
    expect([turns.length, facts.length > 2]).toEqual([3, true]);
    for (const { sources: cited } of facts)
      expect(cited.some(({ episode }) => turns.includes(episode))).toBe(true);
  });

  it('shows a turn whole, however long it is', async () => {
    const long = engine.scope('long');
    const words = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join(' ');
    await long.add({ session: 's', speaker: 'Ana', at: '2024-01-01', content: `My kayak: ${words}` });
    await long.flush();
    const { text } = await long.context('kayak', { contextForm: { turns: 1, facts: 0, entities: 0 } });
    expect(text).toContain('word1999');
    expect((await long.context('kayak')).text).not.toContain('word1999');
  });

  it('is what a model answers from', async () => {
    const shown: number[] = [];
    const languageModel = new FakeLanguageModel(() => 'HOLDS\nAna [1].');
    const { text } = languageModel;
    languageModel.text = (prompt, input, options) => {
      shown.push(prompt.render(input).user.match(/I own kayak \d/g)?.length ?? 0);
      return text.call(languageModel, prompt, input, options) as never;
    };
    await using asking = await Mnemis.open({
      path: ':memory:',
      automatic: false,
      profile: 'local',
      languageModel,
    });
    const scope = asking.scope('s');
    const said = { session: 's', speaker: 'Ana', at: '2024-01-01' };
    await scope.add([1, 2, 3].map((at) => ({ ...said, content: `I own kayak ${at}.` })));
    const contextForm = { turns: 2, facts: 0, entities: 0 };
    for (const more of [{ contextForm }, {}]) await scope.ask('Which kayak?', { ...more, answerer: 'llm' });
    expect(shown).toEqual([2, 3]);
  });

  it.each([
    [{ turns: 0.5, facts: 0, entities: 0 }],
    [{ turns: 101, facts: 0, entities: 0 }],
    [{ turns: 1, facts: 'all', entities: 0 }],
    [{ turns: 1 }],
    ['full'],
  ])('is refused as %j', async (contextForm) => {
    await expect(memory.context(QUESTION, { contextForm: contextForm as never })).rejects.toSatisfy(
      InvalidInputError.isInstance,
    );
  });
});
