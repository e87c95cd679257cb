import { describe, expect, it } from 'vitest';
import { LocalSuperseder } from '../../../src/ingest/supersede/local-superseder.ts';
import type { JudgedFact } from '../../../src/ingest/supersede/superseder.ts';
import { DAY, type FactLine, judgedFact } from './judged-facts.ts';

const judge = (fact: JudgedFact, ...candidates: readonly JudgedFact[]) =>
  new LocalSuperseder().supersede([{ fact, candidates }]);

async function kindOf(earlier: string, later: string, said?: FactLine): Promise<string> {
  const old = judgedFact(earlier);
  const fact = judgedFact(later, { day: 30, order: 1, said: later, ...said });
  const [decision] = await judge(fact, old);
  return decision === undefined ? 'nothing' : decision.kind;
}

describe('LocalSuperseder', () => {
  it.each([
    ['Mara lives in Oslo', 'Mara moved to Lisbon'],
    ['Mara lives in Oslo', 'Mara lives in Lisbon now'],
    ['Mara is based in Oslo', 'Mara has just moved from Oslo to Lisbon'],
    ['Mara moved to Lisbon', 'Mara moved back to Oslo'],
    ['Mara lives in Oslo', 'Mara no longer lives in Oslo'],
    ["Mara's brother lives in Oslo", "Mara's brother moved to Rome"],
    ['Tom works at Acme', 'Tom works at Globex now'],
    ['Tom works at Acme as a nurse', 'Tom was laid off'],
    ['Tom works at Acme', "Tom lost Tom's job"],
    ['Tom works as a nurse', 'Tom started a new job as a teacher'],
    ['Tom works for a bakery', 'Tom got a job at Globex'],
    ['Tom is unemployed', 'Tom got a new job at Globex'],
    ['Tom works at Acme', 'Tom is between jobs'],
    ['Tom works at Acme', 'Tom left Acme'],
    ['Ann is dating Bob', 'Ann and Bob broke up'],
    ['Ann is dating Bob', 'Ann is single again'],
    ['Ann is dating Bob', 'Ann is dating Carl'],
    ['Ann is dating Bob', 'Ann got engaged to Bob'],
    ['Ann is engaged to Bob', 'Ann married Bob'],
    ['Ann is married to Bob', 'Ann got divorced'],
    ['Ann is single', 'Ann started dating Carl'],
    ["Ann's boyfriend is Bob", 'Ann broke up with Bob'],
    ['Iris is 33 years old', 'Iris turned 34'],
    ['Jo loves coffee', 'Jo cannot stand coffee any more'],
    ['Jo hates running', 'Jo loves running'],
    ['Jo is into jazz', 'Jo is no longer into jazz'],
    ['Jo prefers tea to coffee', 'Jo prefers coffee to tea'],
    ['Rui is a student', 'Rui is no longer a student'],
    ['Rui is not a smoker anymore', 'Rui is a smoker again'],
    ['Paul plays the cello', 'Paul stopped playing the cello'],
    ['Paul does yoga every morning', 'Paul gave up yoga'],
    ['Paul started pottery', 'Paul quit pottery'],
    ['Paul smokes a pipe', 'Paul no longer smokes a pipe'],
    ['Paul gave up yoga', 'Paul started yoga again'],
    ['Hugo drives an old Volvo', "Hugo sold Hugo's Volvo"],
    ['Hugo has a boat named Pia', 'Hugo got rid of the boat'],
    ['Hugo owns a motorbike', 'Hugo no longer has a motorbike'],
    ["Hugo's phone number is 555-1234", "Hugo's new phone number is 555-9876"],
    ["Hugo's favourite book is Emma", "Hugo's favourite book is now Dune"],
    ['Kenji is planning to visit Iceland', 'Kenji visited Iceland'],
    ['Kenji wants to buy a boat', 'Kenji bought a boat'],
    ['Kenji is planning to visit Iceland', 'Kenji cancelled the trip to Iceland'],
    ['Kenji is planning to visit Iceland', "Kenji's trip to Iceland was cancelled"],
    ['Kenji is going to run the Berlin marathon', 'Kenji is not going to run the Berlin marathon'],
    ['Kenji will join the choir', 'Kenji decided not to join the choir'],
  ])('%s — replaced: %s', async (earlier, later) => {
    expect(await kindOf(earlier, later)).toBe('replaces');
  });

  it.each([
    ['Mara lives in Oslo', 'Mara lives in Norway'],
    ['Mara lives in Oslo', 'Ida moved to Lisbon'],
    ["Mara's brother lives in Oslo", 'Mara moved to Rome'],
    ['Mara lives in Oslo', 'Mara visited Lisbon'],
    ['Mara lives in Oslo', 'Mara used to live in Rome'],
    ['Mara lives in Oslo', 'Mara wants to move to Rome'],
    ['Mara lives in Oslo', 'Mara might move to Rome'],
    ['Mara lives in Oslo', 'Mara moved to tears'],
    ['Tom works at Acme', 'Tom also works at a bar on weekends'],
    ['Tom works at Acme', 'Tom volunteers at the shelter'],
    ['Tom works at Acme', 'Tom got a second job at Globex'],
    ['Tom works at Acme', 'Tom works as a nurse'],
    ['Tom works at Acme', 'Tom will not quit'],
    ['Tom works at Acme', 'Tom left the party'],
    ['Ann is dating Bob', 'Ann is a single parent'],
    ['Ann is dating Bob', 'Carl and Eve broke up'],
    ['Ann is dating Bob', 'Ann met Carl'],
    ['Ann is married to Bob', 'Ann is dating'],
    ['Iris is 34 years old', 'Iris is 33 years old'],
    ['Jo loves coffee', 'Jo loves tea'],
    ['Jo loves movies', 'Jo hates horror movies'],
    ['Jo loves coffee', 'Sam hates coffee'],
    ['Jo loves coffee', 'Jo loves coffee'],
    ['Jo loves running', 'Jo does not like running as much in winter'],
    ['Rui is a vegetarian', 'Rui is a teacher'],
    ['Rui is happy', 'Rui is tired'],
    ['Paul plays the cello', 'Paul plays the piano too'],
    ['Paul plays the cello', 'Paul stopped at the music shop'],
    ['Paul started pottery', 'Paul gave up on the pottery exhibition'],
    ['Paul runs every morning', 'Paul stopped drinking coffee'],
    ['Hugo has a dog named Biscuit', 'Hugo got a second dog'],
    ['Hugo has a Volvo', 'Hugo sold a painting'],
    ['Hugo drives a Volvo', 'Hugo bought a bike'],
    ["Hugo's favourite book is Emma", "Hugo's favourite film is Dune"],
    ["Hugo's favourite part is the ending", "Hugo's favourite part is the opening"],
    ['Kenji is planning to visit Iceland', 'Kenji visited Oslo'],
    ['Kenji is planning to visit Iceland', 'Olga visited Iceland'],
    ['Kenji is planning to visit Iceland', 'Kenji is planning to visit Peru'],
    ['Kenji visited Iceland', 'Kenji is planning to visit Iceland'],
    ['Mara shared a photo: a man who sold the boat', 'Mara sold the boat'],
  ])('%s — both hold: %s', async (earlier, later) => {
    expect(await kindOf(earlier, later)).toBe('nothing');
  });

  it.each([
    ['Lily lives in Ghent', 'Lily lives in Bruges, not in Ghent', {}],
    ['Lily lives in Ghent', 'Lily lives in Bruges', { said: 'Sorry, I was wrong. She lives in Bruges.' }],
    ['Lily works at Acme', 'Lily works at Globex', { said: 'I meant Globex. She works there.' }],
    ['Lily is 33 years old', 'Lily is 34 years old', { said: 'I got that wrong, Lily is 34.' }],
    ['Lily plays the cello', 'Lily plays the viola, not the cello', {}],
  ] as const)('%s — was never so: %s', async (earlier, later, said) => {
    expect(await kindOf(earlier, later, said)).toBe('corrects');
  });

  it.each([
    ['Lily lives in Ghent', 'Lily lives in Bruges now, not in Ghent', 'replaces'],
    ['Lily lives in Ghent', 'Lily moved to Bruges', 'replaces'],
    ['Lily plays the cello', 'Lily plays the viola', 'nothing'],
  ])('%s — changed, not corrected: %s', async (earlier, later, kind) => {
    expect(await kindOf(earlier, later, { said: 'I was wrong about the weather.' })).toBe(kind);
  });

  it('ends a fact at the beginning of the new one, and a corrected one at its own', async () => {
    const old = judgedFact('Mara lives in Oslo', { day: 3 });
    const moved = judgedFact('Mara moved to Lisbon', { day: 40, order: 1 });
    expect(await judge(moved, old)).toEqual([{ old: old.id, by: moved.id, kind: 'replaces', at: 40 * DAY }]);
    const fixed = judgedFact('Mara lives in Bergen, not in Oslo', { day: 50, order: 1, said: 'no' });
    expect(await judge(fixed, old)).toEqual([{ old: old.id, by: fixed.id, kind: 'corrects', at: 3 * DAY }]);
  });

  it('ends a late-arriving older fact by the one in memory', async () => {
    const known = judgedFact('Mara lives in Oslo', { day: 300 });
    const late = judgedFact('Mara moved to Hamburg', { day: 10, order: 1 });
    expect(await judge(late, known)).toEqual([
      { old: late.id, by: known.id, kind: 'replaces', at: 300 * DAY },
    ]);
  });

  it('does not compare two facts of one turn', async () => {
    const [one, other] = ['Mara lives in Oslo', 'Mara moved to Lisbon'].map((statement) =>
      judgedFact(statement, { order: 4 }),
    );
    expect(await judge(other!, one!)).toEqual([]);
  });

  it('reads another value on the same day as a detail, unless it is stated to be new', async () => {
    const old = judgedFact('Tom works at Acme');
    const at = (day: number, statement: string) => judge(judgedFact(statement, { day, order: 1 }), old);
    expect(await at(0.1, 'Tom works at Globex')).toEqual([]);
    expect(await at(0.1, 'Tom works at Globex now')).toHaveLength(1);
    expect(await at(2, 'Tom works at Globex')).toHaveLength(1);
  });

  it('reads a plan as done only near its time', async () => {
    const june = { start: 150 * DAY, end: 180 * DAY, precision: 'month', text: 'in June' } as const;
    const planned = judgedFact('Kenji is planning to visit Iceland', { event: june });
    const at = (day: number) => judgedFact('Kenji visited Iceland', { day, order: 1 });
    expect(await judge(at(160), planned)).toHaveLength(1);
    expect(await judge(at(60), planned)).toEqual([]);
    expect(await judge(at(400), planned)).toEqual([]);
  });

  it('selects candidates only for facts that can end or be ended', () => {
    const local = new LocalSuperseder();
    expect(local.concerns(judgedFact('Mara lives in Oslo'))).toBe(true);
    expect(local.concerns(judgedFact('The weather was nice'))).toBe(false);
  });
});
