import { describe, expect, it } from 'vitest';
import { ContextTooLongError } from '../../../../src/errors/index.ts';
import { TokenBudget } from '../../../../src/inference/language-model/calling/token-budget.ts';
import { UsageMeter } from '../../../../src/inference/language-model/tokens/usage-meter.ts';
import { LlmReader } from '../../../../src/ingest/extract/llm/llm-reader.ts';
import { FakeLanguageModel } from '../../../fakes/language-model/fake-language-model.ts';
import { openLab } from '../../../inference/language-model/model-lab.ts';
import { dialogue, SAID_AT, turn } from '../../turns.ts';

const TALK = dialogue(
  'Ann: I adopted a puppy in Oslo last Friday. She is called Luna!',
  'Bob: Wow!',
  'Ann: I do not eat meat any more, since May 2024.',
);
const FACT = {
  statement: 'Ann adopted Luna in Oslo on 7 June 2024.',
  subject: 'Ann',
  relation: 'adopted',
  object: 'Luna',
  participants: ['Oslo'],
  said: 'last Friday',
  date: '2024-06-07',
  confidence: 0.95,
  turns: [1],
};
const REPLY = {
  segments: [
    {
      segment: 1,
      keywords: ['puppy', 'Luna', 'Puppy'],
      summary: 'On 10 June 2024 Ann told Bob of her puppy Luna.',
    },
  ],
  keep: [1, 3, 9],
  entities: [
    {
      name: 'the Luna',
      kind: 'thing',
      aliases: ['puppy', 'Lulu', 'Ann'],
      tags: ['dog', 'a tag of four words'],
      description: "Ann's puppy.",
      turns: [1],
    },
    { name: 'Oslo', kind: 'place', turns: [1] },
  ],
  facts: [FACT],
};
const DAY = 86_400_000;
const friday = Date.UTC(2024, 5, 7);

/** Reads the conversation with a reply in which some parts are replaced. */
async function read(change: object, turns = TALK) {
  const { readings, ...rest } = await new LlmReader(
    new FakeLanguageModel(() => ({ ...REPLY, ...change })),
  ).read([turns]);
  return {
    ...readings[0]!,
    facts: readings[0]!.extraction.facts,
    entities: readings[0]!.extraction.entities,
    ...rest,
  };
}

const fact = (change: object) => read({ facts: [{ ...FACT, ...change }] });

describe('LlmReader', () => {
  it('returns the complete reading of a segment from one call', async () => {
    const { readings, usage } = await new LlmReader(new FakeLanguageModel(() => REPLY)).read([TALK]);
    expect(usage.calls).toBe(1);
    expect(readings).toEqual([
      {
        judgements: ['kept', 'dropped', 'kept'],
        keywords: ['puppy', 'Luna'],
        summary: 'On 10 June 2024 Ann told Bob of her puppy Luna.',
        extraction: {
          entities: [
            {
              name: 'Luna',
              kind: 'thing',
              aliases: ['puppy'],
              tags: ['dog'],
              description: "Ann's puppy.",
              turns: [0],
            },
            { name: 'Oslo', kind: 'place', aliases: [], tags: [], description: '', turns: [0] },
            { name: 'Ann', kind: 'person', aliases: [], tags: [], description: '', turns: [0, 2] },
            { name: 'Bob', kind: 'person', aliases: [], tags: [], description: '', turns: [1] },
          ],
          facts: [
            {
              kind: 'relation',
              statement: FACT.statement,
              subject: 'Ann',
              relation: 'adopted',
              object: 'Luna',
              participants: ['Ann', 'Luna', 'Oslo'],
              validAt: friday,
              invalidAt: null,
              event: { start: friday, end: friday + DAY, precision: 'day', text: 'last Friday' },
              confidence: 0.95,
              turns: [0],
            },
          ],
        },
      },
    ]);
  });

  it('reports what it dropped and why', async () => {
    const { dropped } = await read({
      entities: [...REPLY.entities, 'Luna', { name: 'she', turns: [1] }, { name: 'Rome', turns: [7] }],
    });
    const found = dropped.map(({ what, reason, count }) => `${what} ${reason} ${count}`).sort();
    expect(found).toEqual([
      'alias ambiguous 1',
      'alias not-said 1',
      'citation unknown-number 2',
      'entity empty 1',
      'entity uncited 1',
      'entry malformed 1',
      'tag too-much 1',
    ]);
    expect(JSON.stringify(dropped)).not.toContain('Rome');
  });

  it.each([
    ['no turn', { turns: [] }, 'uncited'],
    ['turns that there are not', { turns: [0, -1, 4, 1.5, 99] }, 'uncited'],
    ['no statement', { statement: ' .. ' }, 'empty'],
  ])('drops a fact with %s', async (_, change, reason) => {
    const { facts, dropped } = await fact(change);
    expect(facts).toEqual([]);
    expect(dropped).toContainEqual({ what: 'fact', reason, count: 1 });
  });

  it('drops a fact about a person whom neither the turns nor the reply name', async () => {
    const change = { subject: 'Mars', object: 'Venus', participants: [], statement: 'adopted in spring' };
    const { facts, entities, dropped } = await fact(change);
    expect(facts).toEqual([]);
    expect(entities.map(({ name }) => name)).not.toContain('Mars');
    expect(dropped).toContainEqual({ what: 'fact', reason: 'no-entity', count: 1 });
  });

  it('adds a name that the cited turn contains as a whole word', async () => {
    const { facts } = await fact({
      object: 'meat',
      relation: 'does not eat',
      participants: ['eat me', 'a'],
      turns: [3],
      said: '',
      date: '',
    });
    expect(facts[0]).toMatchObject({
      kind: 'relation',
      relation: 'does not eat',
      object: 'meat',
      participants: ['Ann', 'meat'],
    });
  });

  it('takes no name from the part of a pasted log that was cut from the prompt', async () => {
    const log = (word: string) => [
      turn('Ann', `Look: ${'x '.repeat(50_000)} ${word} ${'y '.repeat(50_000)} Sirius failed`),
    ];
    const named = (name: string) => ({ statement: `${name} failed.`, participants: [name], turns: [1] });
    const { facts } = await read({ facts: [named('Vega'), named('Sirius')], entities: [] }, log('Vega'));
    expect(facts.map(({ participants }) => participants)).toEqual([['Sirius']]);
  });

  it('makes a relation without two ends a proposition', async () => {
    const { facts } = await fact({ object: '', participants: ['Ann', 'Oslo'] });
    expect(facts[0]).toMatchObject({
      kind: 'proposition',
      subject: null,
      relation: '',
      object: null,
      participants: ['Ann', 'Oslo'],
    });
    const itself = await fact({ object: 'ann' });
    expect(itself.facts[0]).toMatchObject({ kind: 'proposition', participants: ['Ann', 'Oslo'] });
  });

  it('clamps confidence and bounds lengths', async () => {
    const sentence =
      'Ann adopted a puppy that is called Luna in Oslo, on the Friday before the day on which Ann spoke of the puppy, who is called Luna and comes from there, from Oslo.';
    const long = `${sentence} ${Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')}.`;
    const { facts, summary, keywords } = await read({
      facts: [
        { ...FACT, confidence: 7 },
        { ...FACT, statement: long, confidence: -1 },
      ],
      segments: [
        {
          segment: 1,
          summary: Array.from({ length: 60 }, (_, at) => `Sentence ${at} of the summary.`).join(' '),
          keywords: Array.from({ length: 20 }, (_, at) => `word ${at}`),
        },
      ],
    });
    expect(facts.map(({ confidence }) => confidence)).toEqual([1, 0]);
    expect(facts[1]!.statement).toBe(sentence);
    expect(summary.length).toBeLessThanOrEqual(700);
    expect(summary).toMatch(/summary\.$/);
    expect(keywords).toHaveLength(8);
  });

  it('merges duplicate statements', async () => {
    const again = {
      ...FACT,
      statement: 'ann adopted Luna in Oslo on 7 June 2024',
      confidence: 0.4,
      turns: [3],
    };
    const { facts, entities } = await read({
      facts: [FACT, again],
      entities: [...REPLY.entities, { name: 'LUNA', turns: [2], tags: ['pet'] }],
    });
    expect(facts).toHaveLength(1);
    expect(facts[0]).toMatchObject({ confidence: 0.95, turns: [0, 2] });
    expect(entities.find(({ name }) => name === 'Luna')).toMatchObject({
      turns: [0, 1, 2],
      tags: ['dog', 'pet'],
    });
  });

  it('keeps two people apart who could share one nickname', async () => {
    const turns = dialogue('Ann: Sam Hill and Sam Poe came.', 'Bob: Sam sang.');
    const { entities } = await read(
      {
        entities: [
          { name: 'Sam Hill', aliases: ['Sam'], turns: [1] },
          { name: 'Sam Poe', aliases: ['Sam'], turns: [1] },
        ],
        facts: [],
      },
      turns,
    );
    expect(entities.filter(({ name }) => name.startsWith('Sam ')).map(({ aliases }) => aliases)).toEqual([
      [],
      [],
    ]);
  });

  it('matches a speaker with the fuller name of an entity', async () => {
    const berg = { name: 'Ann Berg', kind: 'person', aliases: ['Ann'], turns: [1] };
    const { entities, facts } = await read({ entities: [berg, ...REPLY.entities] });
    expect(entities.map(({ name }) => name)).toEqual(['Ann Berg', 'Luna', 'Oslo', 'Bob']);
    expect(entities[0]).toMatchObject({ aliases: ['Ann'], turns: [0, 2] });
    expect(facts[0]!.subject).toBe('Ann Berg');
  });

  it('reads an empty or entirely invalid reply as empty', async () => {
    const { readings } = await new LlmReader(new FakeLanguageModel(() => ({ keep: [] }))).read([TALK]);
    expect(readings[0]).toMatchObject({
      judgements: ['dropped', 'dropped', 'dropped'],
      summary: '',
      keywords: [],
      extraction: { facts: [] },
    });
    const wrong = new LlmReader(new FakeLanguageModel(() => ({ facts: ['Ann has a dog'] }))).read([TALK]);
    await expect(wrong).rejects.toMatchObject({ code: 'malformed-reply' });
  });

  it('assigns each segment of a call its part', async () => {
    const garden = dialogue('Ann: Luna dug up the garden.', 'Bob: Oh no.');
    const reply = {
      segments: [
        { segment: 2, summary: 'Luna dug.' },
        { segment: 1, summary: 'A puppy came.' },
      ],
      keep: [4],
      entities: [{ name: 'Luna', kind: 'thing', description: 'A puppy.', turns: [1, 3, 4] }],
      facts: [
        { ...FACT, turns: [1] },
        {
          statement: 'Luna dug up the garden.',
          subject: 'Luna',
          relation: 'dug up',
          object: 'garden',
          turns: [4, 5, 1],
        },
      ],
    };
    const { readings, dropped, usage } = await new LlmReader(new FakeLanguageModel(() => reply)).read(
      [TALK, [], garden].slice(0, 3),
    );
    expect(usage.calls).toBe(1);
    expect(readings.map(({ summary }) => summary)).toEqual(['A puppy came.', '', 'Luna dug.']);
    expect(readings.map(({ judgements }) => judgements)).toEqual([
      ['kept', 'dropped', 'dropped'],
      [],
      ['kept', 'kept'],
    ]);
    expect(readings[2]!.extraction.facts[0]).toMatchObject({
      turns: [0, 1],
      participants: ['Luna', 'garden'],
    });
    const luna = readings.map(({ extraction }) => extraction.entities.find(({ name }) => name === 'Luna'));
    expect(luna[0]).toMatchObject({ description: 'A puppy.', turns: [0, 2] });
    expect(luna[2]).toMatchObject({ description: '', turns: [0, 1] });
    expect(dropped).toContainEqual({ what: 'citation', reason: 'other-segment', count: 1 });
  });

  it.each([
    ['names', { segment: 2 }, ['', "Ann's puppy."]],
    ['cites most, where it names none', {}, ["Ann's puppy.", '']],
    ['cites most, where it cites none of the one that it names', { segment: 9 }, ["Ann's puppy.", '']],
  ])('gives a description to the segment that its entry %s', async (_, named, descriptions) => {
    const segments = [
      dialogue('Ann: Luna is a puppy.', 'Ann: Luna is brown.'),
      dialogue('Bob: I fed Luna.', 'Ann: Thanks!'),
    ];
    const luna = { name: 'Luna', description: "Ann's puppy.", turns: [1, 2, 3], ...named };
    const { readings } = await new LlmReader(new FakeLanguageModel(() => ({ entities: [luna] }))).read(
      segments,
    );
    const found = readings.map(({ extraction }) => extraction.entities.find(({ name }) => name === 'Luna'));
    expect(found.map((each) => each?.description)).toEqual(descriptions);
  });

  it('takes no description of a speaker', async () => {
    const { entities } = await read({
      entities: [{ name: 'ann', kind: 'person', description: 'Ann adopted Luna.', turns: [1] }],
    });
    expect(entities.find(({ name }) => name === 'ann')?.description).toBe('');
  });

  it('reads a short rest of a session together with what is before it', async () => {
    const long = turn('Ann', 'The puppy Luna sleeps. '.repeat(258));
    const rest = dialogue('Ann: Luna barks.', 'Bob: Poor Luna!');
    let calls = 0;
    const model = new FakeLanguageModel(() => {
      calls += 1;
      return {};
    });
    await new LlmReader(model).read([[long], rest, rest]);
    expect(calls).toBe(1);
    await new LlmReader(model).read([[long], [long]]);
    expect(calls).toBe(3);
  });

  it('uses in one segment a person whom another one introduced', async () => {
    const later = dialogue('Ann: She sleeps a lot.', 'Bob: Good.');
    const said = { statement: 'Luna sleeps a lot.', participants: ['Luna'], turns: [4] };
    const reply = { ...REPLY, facts: [said] };
    const { readings } = await new LlmReader(new FakeLanguageModel(() => reply)).read([TALK, later]);
    expect(readings[1]!.extraction.facts[0]).toMatchObject({ participants: ['Luna'], turns: [0] });
    expect(readings[1]!.extraction.entities).toContainEqual({
      name: 'Luna',
      kind: 'thing',
      aliases: [],
      tags: [],
      description: '',
      turns: [0],
    });
  });

  it('reads a long session in several calls, each with the context of the former ones', async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return { segments: [{ segment: 1, summary: `Part ${users.length}.` }] };
    });
    const long = [turn('Ann', 'word '.repeat(1_100)), turn('Bob', 'ok')];
    const { readings, usage } = await new LlmReader(model).read([long, long.slice(), long.slice()]);
    expect(usage.calls).toBe(3);
    expect(readings.map(({ summary }) => summary)).toEqual(['Part 1.', 'Part 2.', 'Part 3.']);
    expect(users[0]).not.toContain('Before these turns');
    expect(users[2]).toContain('Part 2.');
  });

  it('halves input that is too long for the model, down to single turns', async () => {
    const model = new FakeLanguageModel(({ user }) => {
      const turns = user.match(/^\d+ (?:Ann|Bob): .*/gm)!;
      if (turns.length > 1) throw new ContextTooLongError('fake:model', 100);
      return {
        segments: [{ segment: 1, summary: 'One.', keywords: [turns[0]!.slice(2, 12)] }],
        keep: [1],
        facts: [
          { statement: `${turns[0]!.slice(2, 20)}`, participants: [turns[0]!.slice(2, 5)], turns: [1] },
        ],
      };
    });
    const { readings } = await new LlmReader(model).read([TALK, TALK.slice(0, 2)]);
    expect(readings[0]!.judgements).toEqual(['kept', 'kept', 'kept']);
    expect(readings[0]!.extraction.facts.map(({ turns }) => turns)).toEqual([[0], [1], [2]]);
    expect(readings[0]!.summary).toBe('One. One. One.');
    expect(readings[1]!.extraction.facts).toHaveLength(2);
    const hopeless = new LlmReader(
      new FakeLanguageModel(() => {
        throw new ContextTooLongError('fake:model', 1);
      }),
    );
    await expect(hopeless.read([TALK])).rejects.toMatchObject({ code: 'context-too-long' });
  });

  it('passes meter, budget and signal on, and counts the usage', async () => {
    const meter = new UsageMeter();
    const budget = new TokenBudget(100_000);
    const { usage } = await new LlmReader(new FakeLanguageModel(() => REPLY), { meter }).read([TALK], {
      budget,
    });
    expect(meter.byPrompt().get('read-segments')).toEqual(usage);
    expect(budget.spent).toBe(usage.promptTokens + usage.completionTokens);
    const poor = new LlmReader(new FakeLanguageModel(() => REPLY), { budget: new TokenBudget(10) });
    await expect(poor.read([TALK])).rejects.toMatchObject({ code: 'budget-exhausted' });
    const cancelled = new LlmReader(new FakeLanguageModel(() => REPLY)).read([], {
      signal: AbortSignal.abort(),
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('makes no call for empty input', async () => {
    const reader = new LlmReader(
      new FakeLanguageModel(() => {
        throw new Error('asked');
      }),
    );
    expect(await reader.read([])).toMatchObject({ readings: [], dropped: [], usage: { calls: 0 } });
    expect((await reader.read([[]])).readings[0]).toMatchObject({ judgements: [], summary: '' });
  });

  it('is an Extractor', async () => {
    const extraction = await new LlmReader(new FakeLanguageModel(() => REPLY)).extract(TALK);
    expect(extraction.facts).toHaveLength(1);
  });

  it('reads over HTTP, in halves if a reply is truncated, and after faults', async () => {
    await using lab = await openLab('openai', { server: { reply: () => REPLY } });
    lab.server.enqueue({ fault: { kind: 'rate-limit' } }, { fault: { kind: 'truncated', part: 0.6 } });
    const { readings, usage } = await new LlmReader(lab.model).read([TALK]);
    expect(readings[0]!.judgements).toHaveLength(3);
    expect(readings[0]!.extraction.facts[0]!.participants).toContain('Luna');
    expect(usage).toMatchObject({ calls: 3, failedCalls: 1, estimated: false });
  });
});

describe('times in an LLM reading', () => {
  const cases: [string, object, object | null][] = [
    [
      'words beat a miscounted date',
      { said: 'last Friday', date: '2024-06-08' },
      { start: friday, precision: 'day' },
    ],
    [
      'a date inside what the words mean',
      { said: 'since May 2024', date: '2024-05-02', turns: [3] },
      { start: Date.UTC(2024, 4, 2), precision: 'day' },
    ],
    ['a date whose words are not said', { said: 'next Christmas', date: '2024-12-25' }, null],
    [
      'a date without words that a turn bears out',
      { said: '', date: '2024-06-07' },
      { start: friday, text: 'last Friday' },
    ],
    ['the date of the turn, given for no time', { said: '', date: '2024-06-10' }, null],
    ['no date', { said: '', date: '' }, null],
    ['a date that does not exist', { said: 'Luna', date: '2024-02-31' }, null],
    [
      'a range',
      { said: 'Luna', date: '2024-06-01/2024-06-03' },
      { start: Date.UTC(2024, 5, 1), end: Date.UTC(2024, 5, 4), precision: 'span' },
    ],
    ['a range backwards', { said: 'Luna', date: '2024-06-03/2024-06-01' }, null],
    ['a month', { said: 'Luna', date: '2024-04' }, { start: Date.UTC(2024, 3), precision: 'month' }],
    ['a year far off', { said: 'Luna', date: '0001' }, null],
  ];
  it.each(cases)('%s', async (_, told, event) => {
    const { facts } = await fact(told);
    if (event === null) expect(facts[0]!.event).toBeNull();
    else expect(facts[0]!.event).toMatchObject(event);
  });

  it.each([
    ['Luna dug up the garden in May.', Date.UTC(2024, 4)],
    ['Luna will dig up the garden in May.', Date.UTC(2025, 4)],
  ])('reads "in May" by the verb beside it: %s', async (content, start) => {
    const reply = { facts: [{ statement: content, participants: ['Ann'], turns: [1], said: 'in May' }] };
    const { facts } = await read(reply, [turn('Ann', content)]);
    expect(facts[0]!.event).toMatchObject({ start, text: 'in May' });
  });

  it('counts "last week" from the turn that says it', async () => {
    const turns = [
      turn('Ann', 'I moved last week.'),
      turn('Ann', 'And today I started work.', { validAt: SAID_AT + 30 * DAY }),
    ];
    const { facts } = await read(
      { facts: [{ statement: 'Ann moved.', participants: ['Ann'], turns: [1, 2], said: 'last week' }] },
      turns,
    );
    expect(facts[0]!.event).toMatchObject({ start: Date.UTC(2024, 5, 3), precision: 'week' });
  });

  it("uses the model's date for expressions in another language", async () => {
    const turns = dialogue('Ann: Ich bin letzten Freitag umgezogen.');
    const { facts } = await read(
      {
        facts: [
          {
            statement: 'Ann ist umgezogen.',
            participants: ['Ann'],
            turns: [1],
            said: 'letzten Freitag',
            date: '2024-06-07',
          },
        ],
      },
      turns,
    );
    expect(facts[0]).toMatchObject({ validAt: friday, event: { start: friday, text: 'letzten Freitag' } });
  });

  it('ends when it ceased, if that is after its beginning', async () => {
    expect((await fact({ until: '2025-03' })).facts[0]).toMatchObject({ invalidAt: Date.UTC(2025, 3, 1) });
    const before = await fact({ until: '2020' });
    expect(before.facts[0]!.invalidAt).toBeNull();
    expect(before.dropped).toContainEqual({ what: 'time', reason: 'inconsistent', count: 1 });
  });

  it('begins when it was said if the event is in the future', async () => {
    const turns = dialogue('Ann: I fly to Rome next Friday.');
    const { facts } = await read(
      {
        facts: [
          {
            statement: 'Ann plans to fly to Rome.',
            participants: ['Rome'],
            turns: [1],
            said: 'next Friday',
            date: '',
          },
        ],
      },
      turns,
    );
    expect(facts[0]).toMatchObject({ validAt: SAID_AT, event: { start: Date.UTC(2024, 5, 21) } });
  });
});
