import { describe, expect, it } from 'vitest';
import type { Said } from '../../fakes/openai-server/script.ts';
import { boats, openReadingLab, type Reply, resumed } from './reading-server.ts';

const TURNS = 6;

async function flushed(reply: (good: Reply) => Said, turns = boats(TURNS)) {
  const lab = await openReadingLab({ reply: (_, good) => reply(good) });
  await lab.memory.add(turns);
  const { counts, pending } = await lab.memory.flush();
  const facts = (await lab.memory.list({ kind: 'fact', limit: 50 })).items;
  return { lab, counts, pending, facts };
}

const each = (reply: Reply, change: (fact: Record<string, unknown>) => unknown) =>
  ({ ...reply, facts: reply.facts.map((fact) => change({ ...fact })) }) as unknown as Said;
const renamed = (from: string, to: string) => (fact: Record<string, unknown>) => {
  const { [from]: value, ...rest } = fact;
  return { ...rest, [to]: value };
};
const without = (name: string) => (reply: Reply) => {
  const { [name]: _, ...rest } = reply as unknown as Record<string, unknown>;
  return rest;
};
const inKeys = (change: (key: string) => string) => (reply: Reply) =>
  JSON.parse(
    JSON.stringify(reply).replaceAll(/"(\w+)":/g, (_, key: string) => `"${change(key)}":`),
  ) as Record<string, unknown>;

/** Forms in which the content is all there. */
const READ: Readonly<Record<string, (good: Reply) => Said>> = {
  'as asked': (good) => ({ ...good }),
  'another list under the name of the facts': ({ facts, ...rest }) => ({ ...rest, Facts: facts }),
  capitals: inKeys((key) => key.toUpperCase()),
  'camel case and spaces': inKeys((key) => ` ${key[0]!.toUpperCase()}${key.slice(1)} `),
  ...Object.fromEntries(
    [
      'fact',
      'FACTS',
      'results',
      'data',
      'memories',
      'statements',
      'items',
      'fakten',
      'extracted-facts',
      'xs',
    ].map((name) => [`facts under "${name}"`, ({ facts, ...rest }: Reply) => ({ ...rest, [name]: facts })]),
  ),
  ...Object.fromEntries(
    ['fact', 'text', 'content', 'Statement', 'memory', 'sentence'].map((name) => [
      `statements under "${name}"`,
      (good: Reply) => each(good, renamed('statement', name)),
    ]),
  ),
  ...Object.fromEntries(
    ['turn', 'Turns', 'turn_numbers', 'sources', 'citations', 'source'].map((name) => [
      `turns under "${name}"`,
      (good: Reply) => each(good, renamed('turns', name)),
    ]),
  ),
  'turns as one number': (good) => each(good, (fact) => ({ ...fact, turns: (fact.turns as number[])[0] })),
  'turns as words': (good) => each(good, (fact) => ({ ...fact, turns: [`turn ${String(fact.turns)}`] })),
  'turns counted from 0': (good) => ({
    ...good,
    keep: good.keep.map((number) => number - 1),
    facts: good.facts.map((fact) => ({ ...fact, turns: [(fact.turns as number[])[0]! - 1] })),
  }),
  'in a property': (good) => ({ result: { ...good } }),
  'in two properties': (good) => ({ response: { output: { ...good } } }),
  'in the schema that was shown': (good) => ({
    type: 'object',
    properties: { ...good },
    required: ['facts'],
  }),
  'in a list of one': (good) => [{ ...good }],
  'in a list in a property': (good) => ({ data: [{ ...good }] }),
  'as JSON in a text': (good) => JSON.stringify(JSON.stringify(good)),
  'as JSON in a property': (good) => ({ response: JSON.stringify(good) }),
  'as a tool call': (good) => ({ name: 'read-segments', arguments: { ...good } }),
  'as a tool call with text for arguments': (good) => ({ name: 'x', arguments: JSON.stringify(good) }),
  'beside its reasons': (good) => ({ thoughts: 'They bought boats.', answer: { ...good } }),
  'the list of facts alone': ({ facts }) => facts,
  'the list of facts in a property': ({ facts }) => ({ output: facts }),
  'no other list': ({ facts }) => ({ facts }),
  'facts in an object': ({ facts, ...rest }) => ({ ...rest, facts: { items: facts } }),
  'facts by number': ({ facts, ...rest }) => ({ ...rest, facts: { ...facts } }),
  'facts by name': ({ facts, ...rest }) => ({
    ...rest,
    facts: Object.fromEntries(facts.map((fact, at) => [`fact_${at}`, fact])),
  }),
  'facts as JSON in a text': ({ facts, ...rest }) => ({ ...rest, facts: JSON.stringify(facts) }),
  'each fact as JSON in a text': (good) => each(good, (fact) => JSON.stringify(fact)),
  'each fact in a list': (good) => each(good, (fact) => [fact]),
  'facts in the segment': ({ facts, segments, ...rest }) => ({
    ...rest,
    segments: segments.map((segment, at) => (at === 0 ? { ...segment, facts } : segment)),
  }),
};

/** Forms without what can be stored. */
const UNUSABLE: Readonly<Record<string, (good: Reply) => Said>> = {
  'an empty object': () => ({}),
  'an empty list': () => [],
  null: () => 'null',
  'no facts': without('facts'),
  'facts that are null': (good) => ({ ...good, facts: null }),
  'facts that are a word': (good) => ({ ...good, facts: 'none of them' }),
  'facts that are a number': (good) => ({ ...good, facts: 3 }),
  'facts of numbers': (good) => each(good, () => 7),
  'facts without content': (good) => each(good, () => ({})),
  'statements that are objects': (good) => each(good, (fact) => ({ ...fact, statement: { a: 1 } })),
  'statements that are JSON': (good) =>
    each(good, (fact) => ({ ...fact, statement: '```json [{"kind": "world", "what": "a boat"}] ```' })),
  'statements that are empty': (good) => each(good, (fact) => ({ ...fact, statement: ' ' })),
  'facts without turns': (good) => each(good, ({ turns: _, ...fact }) => fact),
  'facts of turns that there are not': (good) => each(good, (fact) => ({ ...fact, turns: [99] })),
  'facts that are sentences': (good) => each(good, ({ statement }) => statement),
  'the schema': () => ({
    type: 'object',
    properties: Object.fromEntries(
      ['segments', 'keep', 'entities', 'facts'].map((name) => [
        name,
        { type: 'array', items: { type: 'object', properties: { statement: { type: 'string' } } } },
      ]),
    ),
    required: ['segments', 'keep', 'entities', 'facts'],
  }),
  'something else': () => ({ status: 'ok', message: 'Done.' }),
  prose: () => 'I have read the turns.',
  nothing: () => '',
};

it.each(Object.entries(READ))('a reply with usable facts is read in one call %s', async (_, reply) => {
  const { lab, counts, facts } = await flushed(reply);
  await using _lab = lab;
  expect([counts.consolidated, counts.setAside, facts.length]).toEqual([TURNS, 0, TURNS]);
  expect(lab.asked).toHaveLength(1);
  for (const fact of facts) {
    const [, number] = /number (\d)/.exec((fact as { statement: string }).statement)!;
    expect((fact as { statement: string }).statement).toContain(`P${number} said`);
  }
});

describe('a reply without usable facts is asked for again, then its turns are set aside and can be read later', () => {
  it.each(Object.entries(UNUSABLE))('%s', async (_, reply) => {
    let isMended = false;
    const lab = await openReadingLab({
      reply: (_asked, good) => (isMended ? { ...good } : reply(good)),
    });
    await using _lab = lab;
    await lab.memory.add(boats(TURNS));
    const { counts, pending } = await lab.memory.flush();
    expect([counts.consolidated, counts.facts, counts.setAside, pending]).toEqual([0, 0, TURNS, 0]);
    expect(lab.asked.length).toBeLessThanOrEqual(4);
    const { enrichment } = await lab.memory.stats();
    expect(enrichment).toMatchObject({ setAside: TURNS, failures: [{ code: 'malformed-reply' }] });
    expect(JSON.stringify(enrichment)).not.toMatch(/boat|Ghent/);
    isMended = true;
    expect((await resumed(lab.memory, true)).counts).toMatchObject({ consolidated: TURNS, setAside: 0 });
    expect((await lab.memory.list({ kind: 'fact', limit: 50 })).items).toHaveLength(TURNS);
  });

  it.each(Object.entries(UNUSABLE))('the second reply counts: %s', async (_, reply) => {
    const lab = await openReadingLab({
      reply: ({ messages }, good) => (messages.length === 2 ? reply(good) : { ...good }),
    });
    await using _lab = lab;
    await lab.memory.add(boats(TURNS));
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: TURNS, facts: TURNS });
  });
});

it.each<[string, (good: Reply) => Said]>([
  ['without turns', (good) => each(good, ({ turns: _, ...fact }) => fact)],
  ['with a number of another numbering', (good) => each(good, (fact) => ({ ...fact, turns: [17] }))],
  ['as sentences', (good) => each(good, ({ statement }) => statement)],
  ['as one object', ({ facts, ...rest }) => ({ ...rest, facts: facts[0]! })],
  ['as one sentence', ({ facts, ...rest }) => ({ ...rest, facts: [facts[0]!.statement] })],
])('a unit of one turn is the source of its facts %s', async (_, reply) => {
  const { lab, counts } = await flushed(reply, boats(1));
  await using _lab = lab;
  expect([counts.consolidated, counts.facts, lab.asked.length]).toEqual([1, 1, 1]);
});

describe('an empty list of facts', () => {
  const none = (good: Reply) => ({ ...good, facts: [] });

  it('is asked about once where the text states facts, and then taken for nothing', async () => {
    const { lab, counts } = await flushed(none);
    await using _lab = lab;
    expect([counts.consolidated, counts.facts, counts.setAside, lab.asked.length]).toEqual([TURNS, 0, 0, 2]);
  });

  it('is nothing at once where the text states none', async () => {
    const hello = ['Hello!', 'Hi there!', 'Thanks.', 'Bye!'].map((content, at) => ({
      ...{ content, session: 's', speaker: `P${at % 2}`, at: Date.UTC(2026, 2, 1, 9, at) },
    }));
    const { lab, counts } = await flushed(none, hello);
    await using _lab = lab;
    expect([counts.consolidated, counts.setAside, lab.asked.length]).toEqual([4, 0, 1]);
  });

  it('after facts that could not be used is no answer', async () => {
    const lab = await openReadingLab({
      reply: ({ messages }, good) =>
        messages.length === 2 ? each(good, ({ turns: _, ...fact }) => fact) : none(good),
    });
    await using _lab = lab;
    await lab.memory.add(boats(TURNS));
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 0, setAside: TURNS });
  });
});

it('asks again about facts of which some cite no turn, and keeps the others', async () => {
  const lab = await openReadingLab({
    reply: (_, good) => each(good, (fact) => (String(fact.turns) === '3' ? { ...fact, turns: [] } : fact)),
  });
  await using _lab = lab;
  await lab.memory.add(boats(TURNS));
  expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: TURNS, facts: TURNS - 1 });
  expect(lab.asked).toHaveLength(2);
});

describe('a reply that is cut', () => {
  it('is asked for in parts until all is read', async () => {
    const lab = await openReadingLab({
      faultOf: (asked) =>
        (asked.messages[1]!.content.match(/^\d+ P/gm) ?? []).length > 2
          ? { kind: 'truncated', part: 0.6 }
          : null,
    });
    await using _lab = lab;
    await lab.memory.add(boats(TURNS));
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: TURNS, facts: TURNS });
  });

  it.each([0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 0.97])('always, after %d of it: is set aside', async (part) => {
    for (const turns of [boats(1), boats(3)]) {
      const lab = await openReadingLab({ faultOf: () => ({ kind: 'truncated', part }) });
      await using _lab = lab;
      await lab.memory.add(turns);
      const { counts } = await lab.memory.flush();
      expect([counts.consolidated, counts.setAside]).toEqual([0, turns.length]);
      const { failures } = (await lab.memory.stats()).enrichment;
      expect(failures[0]!.reason).toContain('was cut short');
    }
  });

  it.each([0.2, 0.6, 0.9])('without a word of the server, after %d of it: is set aside', async (part) => {
    const { lab, counts } = await flushed((good) => {
      const text = JSON.stringify(good);
      return text.slice(0, text.length * part);
    });
    await using _lab = lab;
    expect([counts.consolidated, counts.setAside]).toEqual([0, TURNS]);
  });

  it('for one long turn is asked for in parts of its text', async () => {
    const content = Array.from(
      { length: 12 },
      (_, at) => `In month ${at} I bought boat number ${at} in Ghent.`,
    );
    const lab = await openReadingLab({
      faultOf: ({ messages }) =>
        messages[1]!.content.length > 450 ? { kind: 'truncated', part: 0.6 } : null,
    });
    await using _lab = lab;
    await lab.memory.add({ ...boats(1)[0]!, content: content.join(' ') });
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 1, setAside: 0 });
    const facts = (await lab.memory.list({ kind: 'fact', limit: 50 })).items;
    const said = facts.map((fact) => (fact as { statement: string }).statement).join(' ');
    for (const sentence of content) expect(said).toContain(sentence);
  });
});

it.each<[string, (good: Reply) => Said]>([
  [
    'in a sentence',
    (good) => each(good, (fact) => ({ ...fact, statement: 'Ann bought a boat. '.repeat(900) })),
  ],
  ['in a word', (good) => each(good, (fact) => ({ ...fact, statement: `Ann ${'very '.repeat(400)}` }))],
  ['without spaces', (good) => each(good, (fact) => ({ ...fact, statement: '船を買いました。'.repeat(80) }))],
  ['in the summary', (good) => ({ ...good, segments: [{ segment: 1, summary: 'A boat. '.repeat(200) }] })],
  ['in the list of facts', (good) => ({ ...good, facts: Array(60).fill(good.facts[0]) })],
  ['in two facts', (good) => ({ ...good, facts: Array(30).fill(good.facts.slice(0, 2)).flat() })],
])('a model that loops %s is asked with less, then its turns are set aside', async (_, reply) => {
  const { lab, counts, facts } = await flushed(reply, boats(2));
  await using _lab = lab;
  expect([counts.consolidated, counts.setAside, facts.length]).toEqual([0, 2, 0]);
});
