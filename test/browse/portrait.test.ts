import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Portrait, portraitText } from '../../src/browse/portrait.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import { freshPath } from '../engine/memory-fixture.ts';

const NOW = Date.parse('2024-06-10T09:00:00Z');

/** Statements about Mara, and the section of each; null for none. */
const FACTS: readonly (readonly [statement: string, section: string | null])[] = [
  ["Mara's sister Ida lives in Bergen", 'family'],
  ['Mara has two kids', 'family'],
  ['Mara is married to Owen', 'family'],
  ['Mara turned 34', 'family'],
  ['Mara lives in Oslo', 'home'],
  ['Mara grew up in a village near Turin', 'home'],
  ["Mara's new flat has a balcony", 'home'],
  ['Mara works at Acme', 'work'],
  ['Mara got promoted at the bank', 'work'],
  ['Mara is studying Norwegian history', 'work'],
  ['Mara is allergic to nuts', 'health'],
  ['Mara broke her ankle', 'health'],
  ['Mara prefers tea to coffee', 'tastes'],
  ["Mara's favorite band is Low", 'tastes'],
  ['Mara cannot stand loud places', 'tastes'],
  ['Mara is not into football', 'tastes'],
  ['Mara has a dog called Rex', 'things'],
  ['Mara drives a red Volvo', 'things'],
  ['Mara plans to visit Rome', 'ahead'],
  ['Mara is saving up for a kiln', 'ahead'],
  ['Mara promised to call Nora', 'open'],
  ['Mara owes Ben 20 euros', 'open'],
  ['Mara has not decided about the offer', 'open'],
  ['Mara thinks that art connects people', null],
  ['Mara can make a difference', null],
  ['Mara had a blast', null],
  ["Mara's cello teacher is waiting", null],
  ["Mara's sister is on the phone", null],
  ['Mara is tired', null],
];

describe('the portrait of a person', () => {
  let mnemis: Mnemis;
  let memory: MemoryScope;
  let portrait: Portrait;

  it('is refused for a request that is not one', async () => {
    for (const request of [{ limit: 0 }, { limit: 1.5 }, { entity: '' }, { speaker: 'Mara' }])
      await expect(memory.portrait(request)).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });
  beforeAll(async () => {
    mnemis = await Mnemis.open({ path: freshPath(), automatic: false, clock: () => NOW });
    memory = mnemis.scope('mara');
    const turn = { session: 's', role: 'user' as const, speaker: 'Mara' };
    await memory.add([
      { ...turn, content: 'Hello there.', at: '2024-06-01T09:00:00Z' },
      { ...turn, content: 'I see the dentist on 20 June 2024.', at: '2024-06-02T09:00:00Z' },
      { ...turn, content: 'I fly to Lisbon on 12 June 2024.', at: '2024-06-03T09:00:00Z' },
      { ...turn, content: 'My driving exam is on 5 June 2024.', at: '2024-06-04T09:00:00Z' },
    ]);
    await memory.flush();
    const evidence = [{ session: 's', index: 0 }];
    await memory.addFacts(FACTS.map(([statement]) => ({ statement, participants: ['Mara'], evidence })));
    portrait = await memory.portrait();
  });
  afterAll(() => mnemis.close());

  const sectionOf = (statement: string) =>
    portrait.sections.find(({ facts }) => facts.some((fact) => fact.statement === statement))?.key ?? null;

  it('puts each fact where somebody would look for it, and leaves out what belongs nowhere', () => {
    expect(FACTS.map(([statement]) => [statement, sectionOf(statement)])).toEqual(FACTS);
  });

  it('sorts dates ahead by day, before plans without one; past appointments are history', () => {
    const ahead = portrait.sections.find(({ key }) => key === 'ahead')!.facts.map(({ said }) => said);
    expect(ahead.slice(0, 2)).toEqual([
      expect.stringContaining('Lisbon'),
      expect.stringContaining('dentist'),
    ]);
    expect(ahead).toContain('You plan to visit Rome');
    expect(ahead.join()).not.toContain('exam');
    expect(portrait.past.map(({ said }) => said)).toEqual([expect.stringMatching(/^Your driving exam/)]);
  });

  it('speaks to the user, in the summary as well', () => {
    for (const { facts } of portrait.sections)
      for (const { said } of facts) expect(said).not.toContain('Mara');
    expect(portrait.summary).toContain('You live in Oslo.');
    expect(portrait.summary).toContain('You work at Acme.');
  });

  it('answers “What do you know about me?” by its sections, and lays them before a model', async () => {
    let context = '';
    const onContext = (given: { readonly text: string }) => {
      context = given.text;
    };
    const { text, citations } = await memory.ask('What do you know about me?', { onContext });
    expect(text).toMatch(/^- Home and places: You live in Oslo\. \[\d+\] /m);
    expect(text).toMatch(/^- Likes and dislikes: .* \(and 1 more\)$/m);
    for (const { number } of citations) expect(text).toContain(`[${number}]`);
    expect(context).toMatch(/^# Family and friends\n\[1\] fact: /);
    expect(context).toMatch(/^# Plans and dates ahead\n/m);
  });

  it('tells what replaced an earlier state as lately changed', async () => {
    const evidence = [{ session: 's', index: 3 }];
    await memory.addFacts([{ statement: 'Mara moved to Porto', participants: ['Mara'], evidence }]);
    const { sections, past } = await memory.portrait();
    const changed = sections.find(({ key }) => key === 'changed')!;
    expect(changed.facts.map(({ said }) => said)).toEqual(['You moved to Porto']);
    expect(past.map(({ said }) => said)).toContain('You live in Oslo');
  });

  it('is a text for prompts', () => {
    const text = portraitText(portrait);
    expect(text).toContain('Home and places:\n- You live in Oslo');
    expect(text.indexOf('Family and friends:')).toBeLessThan(text.indexOf('Plans and dates ahead:'));
  });
});
