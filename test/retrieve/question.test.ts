import { describe, expect, it } from 'vitest';
import type { EntityId } from '../../src/model/ids.ts';
import { nearness, otherNamesIn, readQuestion } from '../../src/retrieve/question.ts';
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
    expect([[...question.speakers], question.withoutSpeakers]).toEqual([[0], question.text]);
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
    expect(read(text).withoutSpeakers).toBe(expected);
  });

  const date = (month: number, day: number | null = null, year: number | null = null) => ({
    month,
    day,
    year,
  });
  it.each([
    ['What did Ann do in June 2023?', date(5, null, 2023)],
    ['What happened on 7 May, 2023?', date(4, 7, 2023)],
    ['What happened on May 7th?', date(4, 7)],
    ['on 31st december 1999', date(11, 31, 1999)],
    ['in august', date(7)],
    ['in May', date(4)],
    ['in late March', date(2)],
    ['What did she do in March 2022?', date(2, null, 2022)],
    ['May I ask what Ann does?', null],
    ['What may Ann do?', null],
    ['Did they march to the town hall?', null],
    ['Where did the 300 people go?', null],
    ['What happened in 2023?', null],
    ['the 45th of June', date(5)],
  ])('%s: date %j', (text, wanted) => {
    expect(read(text).date).toEqual(wanted);
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

describe('nearness', () => {
  const at = (text: string) => Date.parse(`${text}T18:30:00Z`);
  const seventh = { month: 4, day: 7, year: 2023 };
  it.each([
    [seventh, '2023-05-07', 1],
    [seventh, '2023-05-08', 1],
    [seventh, '2023-05-06', 1],
    [seventh, '2023-05-15', 0.5],
    [seventh, '2023-04-29', 0.5],
    [seventh, '2023-05-22', 0],
    [seventh, '2022-05-07', 0],
    [{ ...seventh, year: null }, '2019-05-07', 1],
    [{ month: 4, day: null, year: 2023 }, '2023-05-31', 1],
    [{ month: 4, day: null, year: 2023 }, '2023-06-01', 0],
    [{ month: 4, day: null, year: 2023 }, '2022-05-10', 0],
    [{ month: 4, day: null, year: null }, '2022-05-10', 1],
  ])('%j and %s: %d', (date, day, wanted) => {
    expect(nearness(date, at(day))).toBeCloseTo(wanted, 10);
  });
});
