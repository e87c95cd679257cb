import { describe, expect, it } from 'vitest';
import type { EntityId } from '../../src/model/ids.ts';
import { otherNamesIn, readQuestion } from '../../src/retrieve/question.ts';
import type { CurrentProfile } from '../../src/search/entity-index.ts';

const SPEAKERS = ['Ann', 'Bob Miller', 'José'];
const read = (text: string) => readQuestion(text, SPEAKERS);

describe('readQuestion', () => {
  it.each([
    ['What did Ann buy?', [0], ['bui']],
    ['what did BOB buy', [1], ['bui']],
    ['Did Miller or Ann call?', [0, 1], ['call']],
    ['Jose’s dog', [2], ['dog']],
    ['Where is Carla?', [], ['carla']],
    ['', [], []],
  ])('%s: speakers %j, the other words %j', (text, speakers, terms) => {
    const question = read(text);
    expect([...question.speakers].sort()).toEqual(speakers);
    expect(question.terms).toEqual(expect.arrayContaining(terms));
    expect(question.terms.filter((term) => ['ann', 'bob', 'miller', 'jose'].includes(term))).toEqual([]);
    expect(new Set(question.allTerms).size).toBe(question.allTerms.length);
    expect(question.allTerms.length).toBe(
      question.terms.length +
        (text === '' ? 0 : question.allTerms.filter((t) => !question.terms.includes(t)).length),
    );
  });

  it('searches for other names of what it names, also if they are those of a speaker', () => {
    const profiles: Record<string, string[]> = { kate: ['Kate', 'Ann'], 'new york': ['New York', 'Gotham'] };
    const entities = {
      idsOfName: (key: string) => (key in profiles ? [key as EntityId] : []),
      profileOf: (id: string) =>
        ({ name: profiles[id]![0], aliases: profiles[id]!.slice(1) }) as unknown as CurrentProfile,
    };
    const known = { entities, isSaid: () => false };
    expect(otherNamesIn('Did Kate’s dog like New York?', SPEAKERS, known)).toEqual(['Ann', 'Gotham']);
    expect(otherNamesIn('Did Kate like it?', ['Kate'], known)).toEqual([]);
    expect(otherNamesIn('Did Kate like it?', SPEAKERS, { entities, isSaid: () => true })).toEqual([]);
    const question = readQuestion('What did Kate buy?', SPEAKERS, { otherNames: ['Ann'] });
    expect([[...question.speakers], question.terms]).toEqual([[0], ['kate', 'bui']]);
    expect(readQuestion('Who likes it?', SPEAKERS, { otherNames: ['Gotham'] }).terms).toContain('gotham');
  });

  it('keeps titles as words, and names one if all its words are in the question', () => {
    const titles = ['Creed (band)', 'Mayor of Hilo'];
    const read = (text: string) => readQuestion(text, titles, { isTitle: () => true });
    const question = read('When did the band Creed play in Hilo?');
    expect([[...question.speakers], question.embedded]).toEqual([[0], question.text]);
    expect(question.terms).toEqual(expect.arrayContaining(['creed', 'hilo']));
    expect([...read('Who is the mayor of Hilo?').speakers]).toEqual([1]);
  });

  it('keeps the names of speakers in allTerms', () => {
    expect(read('What did Ann buy?').allTerms).toEqual(expect.arrayContaining(['ann', 'bui']));
  });

  it.each([
    ['When did Ann’s dog choose the basketball?', 'When did dog choose the basketball?'],
    ['What did BOB Miller buy for José?', 'What did buy for ?'],
    ['Is Annabel happy?', 'Is Annabel happy?'],
    ['What about Ann?', 'What about Ann?'],
    ['', ''],
  ])('embeds “%s” without the speakers, as written', (text, expected) => {
    expect(read(text).embedded).toBe(expected);
  });

  it.each([
    ['What did Ann do on 18 January?', true],
    ['What did Ann and Bob talk about on 5 March 2024?', true],
    ['What happened in May?', true],
    ['What did Ann buy in May?', false],
    ['What did Ann do?', false],
  ])('%s: asks for all of a time: %s', (text, asksForPeriod) => {
    expect(read(text)).toMatchObject({
      asksForPeriod,
      ...(asksForPeriod && { terms: [], untimed: expect.anything() }),
    });
  });

  it('has its words without those for times', () => {
    const { terms, untimed } = read('What did Ann buy in January 2024?');
    expect([terms, untimed]).toEqual([['bui', 'januari', '2024'], ['bui']]);
  });

  it.each([
    ['When did Ann move?', true],
    ['  when?', true],
    ['How long has Bob played?', true],
    ['Who knows when Ann moved?', false],
    ['Whenever', false],
    ['How many?', false],
  ])('%s: asks when: %s', (text, asksWhen) => {
    expect(read(text).asksWhen).toBe(asksWhen);
  });

  it.each([
    ['Which cities has Ann visited?', true],
    ['List all the films that Bob likes', true],
    ['What kinds of dishes does Ann cook?', true],
    ['Do you know which books Ann has read?', true],
    ['Have you got all my addresses?', false],
    ['How many full years did Ann live there?', false],
    ['Do all of Ann’s projects go well?', false],
    ['What type of photos does Ann take?', false],
    ['Where does Ann live?', false],
  ])('%s: asks for all of a kind: %s', (text, enumerates) => {
    expect(read(text).enumerates).toBe(enumerates);
  });

  it.each([
    ['Where does Ann live?', true],
    ['Whose idea was it?', true],
    ['Which city did Bob like?', true],
    ['What is the dog called?', true],
    ['Which books has Ann read?', true],
    ['What did Ann eat?', false],
    ['How somewhere feels', false],
  ])('%s: asks for a name: %s', (text, asksForName) => {
    expect(read(text).asksForName).toBe(asksForName);
  });
});
