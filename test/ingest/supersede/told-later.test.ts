import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import { type MemoryOptions, withMemory } from '../../engine/told-memory.ts';

interface Told {
  readonly at: string;
  readonly content: string;
  readonly session?: string;
}

/** Turns of Ann, each in a session of its own unless it names one. */
function tell<T>(
  turns: readonly Told[],
  job: (memory: MemoryScope) => Promise<T>,
  options: MemoryOptions = {},
): Promise<T> {
  const said = turns.map((turn, place) => ({ session: String(place), ...turn, speaker: 'Ann' }));
  return withMemory(said, job, options);
}

type Row = Pick<Fact, 'statement' | 'validAt' | 'invalidAt'>;

async function factsOf(memory: MemoryScope): Promise<readonly Row[]> {
  return (await memory.list({ kind: 'fact' })).items as unknown as readonly Row[];
}

const holding = (facts: readonly Row[]) =>
  facts
    .filter(({ invalidAt }) => invalidAt === null)
    .map(({ statement }) => statement.replace(/ \([^)]*\)/g, ''));

/** No fact ends before or when it begins. */
function expectPeriods(facts: readonly Row[]): void {
  for (const { validAt, invalidAt } of facts)
    if (invalidAt !== null) expect(invalidAt).toBeGreaterThan(validAt);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, place) =>
    permutations(items.filter((_, other) => other !== place)).map((rest) => [item, ...rest]),
  );
}

const LYON: Told = { at: '2026-03-20T09:00Z', content: 'I live in Lyon.' };
const later = (content: string, at = '2026-04-06T09:00Z'): Told => ({ at, content });

describe('what is told later and overlaps what was told before', () => {
  it.each([
    'I moved to Marseille in March.',
    'In March I moved to Marseille.',
    'I moved to Marseille last month.',
    'Last month I relocated to Marseille.',
    'I moved to Marseille this year.',
    'This year I moved to Marseille.',
    'I moved to Marseille in 2026.',
    'I moved to Marseille in spring.',
    'I moved to Marseille this spring.',
    'This spring I moved to Marseille.',
    'I recently moved to Marseille.',
    'Recently I moved to Marseille.',
    'I moved to Marseille recently.',
    'I moved to Marseille a while ago.',
    'A while ago I moved to Marseille.',
    'I moved to Marseille not long ago.',
    'I moved to Marseille a few weeks ago.',
    'I moved to Marseille two weeks ago.',
    'I moved to Marseille in early March.',
    'I moved to Marseille in late March.',
    'At the end of March I moved to Marseille.',
    'I moved to Marseille at the end of March.',
    'I moved to Marseille within the last month.',
    'I moved to Marseille over Easter.',
    'I moved to Marseille mid-March.',
    'I moved to Marseille earlier this year.',
    'I moved to Marseille the other day.',
    'I moved to Marseille Sunday night.',
    'I moved to Marseille last week.',
    'Last week I moved to Marseille.',
    'I moved to Marseille at the weekend.',
    'I moved to Marseille last weekend.',
    'I moved to Marseille on Sunday morning.',
    'On Saturday I moved to Marseille.',
    'I moved to Marseille on 25 March.',
    'I have lived in Marseille since March.',
    'I have been living in Marseille since last month.',
  ])('wins: %s', async (content) => {
    for (const atOnce of [false, true]) {
      const facts = await tell([LYON, later(content)], factsOf, { atOnce });
      expect(holding(facts).join()).toMatch(/Marseille/);
      expect(holding(facts).join()).not.toMatch(/Lyon/);
      expectPeriods(facts);
    }
  });

  it.each([
    ['I work at Acme.', 'I started at Quay Robotics this year.', 'Quay'],
    ['I work at Acme.', 'I started a new job at Quay Robotics in March.', 'Quay'],
    ['I work at Acme.', 'Last month I got a job at Quay Robotics.', 'Quay'],
    ['I work at Acme as a nurse.', 'I quit my job at Acme last month.', 'quit'],
    ['I work at Acme as a nurse.', 'I was laid off in March.', 'laid off'],
    ['My boyfriend is Tom.', 'Tom and I broke up in March.', 'broke up'],
    ['My boyfriend is Tom.', 'This spring Tom and I separated.', 'separated'],
    ['My boyfriend is Tom.', 'I got engaged to Paul in March.', 'Paul'],
    ['My boyfriend is Tom.', 'I have been dating Paul since March.', 'Paul'],
    ['I drive a Volvo.', 'I sold the Volvo in March.', 'sold'],
    ['I am 33 years old.', 'I turned 34 in March.', '34'],
    ['I smoke.', 'I quit smoking in March.', 'quit'],
    ['I am planning to visit Rome.', 'I visited Rome in March.', 'visited'],
  ])('wins: %s – %s', async (before, after, wins) => {
    const facts = await tell([{ ...LYON, content: before }, later(after)], factsOf);
    expect(holding(facts)).toHaveLength(1);
    expect(holding(facts)[0]).toContain(wins);
    expectPeriods(facts);
  });

  it('begins after the other, which held on the day on which it was told', async () => {
    const turns = [LYON, later('I moved to Marseille in March.')];
    const question = 'Where does Ann live?';
    await tell(turns, async (memory) => {
      const [lyon, marseille] = await factsOf(memory);
      expect(new Date(lyon!.invalidAt!).toISOString()).toBe('2026-03-21T09:00:00.000Z');
      expect(marseille!.validAt).toBe(lyon!.invalidAt);
      const answer = async (asOf?: string) =>
        (await memory.ask(question, asOf === undefined ? {} : { asOf })).text;
      expect(await answer()).toMatch(/^Ann.*Marseille.*before: Ann lives in Lyon/);
      expect(await answer('2026-03-10')).not.toMatch(/Marseille|Lyon/);
      expect(await answer('2026-03-20T12:00Z')).toMatch(/Lyon/);
      expect(await answer('2026-03-20T12:00Z')).not.toMatch(/Marseille/);
      for (const asOf of ['2026-03-25', '2026-04-10']) {
        expect(await answer(asOf)).toMatch(/Marseille/);
        expect(await answer(asOf)).not.toMatch(/Lyon/);
      }
    });
  });

  it.each(['traversal', 'pagerank', 'similarity', 'everything'])(
    'is what the recipe %s finds',
    async (recipe) => {
      await tell([LYON, later('I moved to Marseille in March.')], async (memory) => {
        const found = async (asOf?: string) => {
          const times = asOf === undefined ? {} : { asOf };
          const { facts } = await memory.search('Where does Ann live?', { recipe, ...times });
          return facts.map(({ statement }) => statement).join();
        };
        expect(await found()).not.toMatch(/Lyon/);
        expect(await found('2026-03-20T12:00Z')).not.toMatch(/Marseille/);
        expect(await found('2026-03-25')).not.toMatch(/Lyon/);
      });
    },
  );

  it('does not win if its time was over before', async () => {
    for (const content of [
      'In 2019 I moved to Rome.',
      'I moved to Rome in February.',
      'I moved to Rome last winter.',
      'I moved to Rome last year.',
      'I moved to Rome five years ago.',
      'I moved to Rome on 19 March.',
      'In 2019 I lived in Rome.',
    ]) {
      const facts = await tell([LYON, later(content)], factsOf);
      expect(holding(facts)).toContain('Ann lives in Lyon');
      expect(holding(facts).join()).not.toMatch(/moved to Rome/);
      expectPeriods(facts);
    }
  });

  it('does not win if the other was told again after its time', async () => {
    const again = { ...LYON, at: '2026-04-02T09:00Z' };
    const facts = await tell([LYON, again, later('I moved to Marseille in March.')], factsOf);
    expect(holding(facts)).toEqual(['Ann lives in Lyon']);
    const within = { ...LYON, at: '2026-03-28T09:00Z' };
    const moved = await tell([LYON, within, later('I moved to Marseille in March.')], factsOf);
    expect(new Date(moved[0]!.invalidAt!).toISOString()).toBe('2026-03-29T09:00:00.000Z');
    const atOnce = await tell([LYON, within, later('I moved to Marseille in March.')], factsOf, {
      atOnce: true,
    });
    expect(atOnce[0]!.invalidAt).toBe(moved[0]!.invalidAt);
  });

  it('does not win over what has gone on since before', async () => {
    const since = { ...LYON, content: 'I have lived in Lyon since 2016.' };
    const facts = await tell([since, later('I moved to Rome in 2018.')], factsOf);
    expect(holding(facts)).toContain('Ann has lived in Lyon since 2016');
    const moved = await tell([since, later('I moved to Rome in March.')], factsOf);
    expect(holding(moved)).toEqual(['Ann moved to Rome in March']);
    expectPeriods([...facts, ...moved]);
  });

  it.each([
    'I visited Marseille in March.',
    'I worked in Marseille in March.',
    'My sister moved to Marseille in March.',
    'I will move to Marseille in June.',
    'I thought about moving to Marseille in March.',
  ])('ends nothing that it does not replace: %s', async (content) => {
    const facts = await tell([LYON, later(content)], factsOf);
    expect(holding(facts)).toContain('Ann lives in Lyon');
  });

  it('follows the last of three', async () => {
    const turns = [
      { ...LYON, at: '2026-01-20T09:00Z' },
      later('I moved to Marseille this year.'),
      later('I moved to Nice this spring.', '2026-04-10T09:00Z'),
    ];
    for (const atOnce of [false, true]) {
      const facts = await tell(turns, factsOf, { atOnce });
      expect(holding(facts)).toEqual(['Ann moved to Nice this spring']);
      expect(facts[0]!.invalidAt).toBe(facts[1]!.validAt);
      expect(facts[1]!.invalidAt).toBe(facts[2]!.validAt);
    }
  });

  it('does not depend on what was read together', async () => {
    const contents = [
      'I moved to Marseille in March.',
      'I moved to Nice on 10 March.',
      'I moved to Rome this year.',
    ];
    const turns = [LYON, ...contents.map((content, day) => later(content, `2026-04-0${day + 6}T09:00Z`))];
    const rows = ({ statement, validAt, invalidAt }: Row) => [statement, validAt, invalidAt];
    const apart = await tell(turns, factsOf);
    const together = await tell(turns, factsOf, { atOnce: true });
    expect(together.map(rows)).toEqual(apart.map(rows));
    expect(holding(apart)).toEqual(['Ann moved to Rome this year']);
    expectPeriods(apart);
  });

  it('does not depend on what was read first', async () => {
    const turns = [
      { ...LYON, session: 'lyon' },
      later('I moved to Marseille last month.'),
      later('I moved to Nice last month.', '2026-04-07T09:00Z'),
      later('I moved to Rome in March.', '2026-04-08T09:00Z'),
    ].map((turn, place) => ({ ...turn, session: String(place) }));
    const rows = (facts: readonly Row[]) =>
      facts.map(({ statement, validAt, invalidAt }) => [statement, validAt, invalidAt].join(' ')).sort();
    const together = rows(await tell(turns, factsOf, { atOnce: true }));
    expect(together.filter((row) => row.endsWith(' '))).toHaveLength(1);
    for (const order of permutations(turns)) {
      const facts = await tell(order, factsOf);
      expectPeriods(facts);
      expect(rows(facts)).toEqual(together);
    }
  });

  it('wins on one day and in one turn of the clock', async () => {
    for (const [first, second, content] of [
      ['2026-03-20T09:00Z', '2026-03-20T15:00Z', 'I moved to Marseille today.'],
      ['2026-03-20', '2026-03-20', 'I moved to Marseille.'],
      ['2026-03-20T20:00-08:00', '2026-03-20T23:30-08:00', 'I moved to Marseille today.'],
      ['2026-03-20T00:10+14:00', '2026-03-20T00:30+14:00', 'I moved to Marseille today.'],
    ] as const) {
      const turns = [
        { at: first, content: LYON.content, session: 's' },
        { at: second, content, session: 's' },
      ];
      const facts = await tell(turns, factsOf);
      expect(holding(facts).join()).toMatch(/^Ann moved to Marseille/);
      expectPeriods(facts);
    }
  });

  it('wins in the days of the speaker, not in those of UTC', async () => {
    const lyon = { at: '2026-03-20T00:10+09:00', content: 'I live in Lyon.' };
    const moved = { at: '2026-03-20T00:30+09:00', content: 'I moved to Marseille yesterday.' };
    expect(holding(await tell([lyon, moved], factsOf))).toContain('Ann lives in Lyon');
  });

  it('is the same in whatever order it is stored, and after the other was forgotten', async () => {
    const moved = later('I moved to Marseille in March.');
    const alone = await tell([moved], factsOf);
    expect(holding(await tell([moved, LYON], factsOf))).toEqual(['Ann moved to Marseille in March']);
    await tell([LYON, moved], async (memory) => {
      await memory.forget({ session: '0' });
      await memory.settle();
      const left = await factsOf(memory);
      expect(left.map(({ validAt, invalidAt }) => [validAt, invalidAt])).toEqual(
        alone.map(({ validAt, invalidAt }) => [validAt, invalidAt]),
      );
    });
  });
});

describe('the order of the turns of a session', () => {
  const session = 's';
  const moved = { content: 'I moved to Marseille.', session };
  it('decides even if a clock was set back', async () => {
    const turns = [
      { ...LYON, session },
      { ...moved, at: '2026-03-13T09:00Z' },
    ];
    for (const now of ['2030-01-01', '2026-04-01']) {
      await tell(
        turns,
        async (memory) => {
          const facts = await factsOf(memory);
          expect(holding(facts)).toEqual(['Ann moved to Marseille']);
          expectPeriods(facts);
          const { text } = await memory.ask('Where does Ann live?');
          expect(text).toMatch(/Marseille/);
          expect(text.replace(/\(since.*\)/, '')).not.toMatch(/Lyon/);
        },
        { now },
      );
    }
  });

  it('does not decide between sessions, nor against a time that is told', async () => {
    const apart = [LYON, { ...moved, at: '2026-03-13T09:00Z', session: 'other' }];
    expect(holding(await tell(apart, factsOf))).toEqual(['Ann lives in Lyon']);
    const told = [
      { ...LYON, session },
      { at: '2026-03-20T09:01Z', content: 'In 2019 I moved to Rome.', session },
    ];
    expect(holding(await tell(told, factsOf))).toEqual(['Ann lives in Lyon']);
  });
});
