import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AddOptions } from '../../src/engine/add-turns.ts';
import type { Mnemis } from '../../src/engine.ts';
import { type AddInput, MAX_CONTENT_LENGTH, type TurnInput } from '../../src/model/turn-input.ts';
import { contents, freshPath, graphOf, open, turn } from './memory-fixture.ts';

let mnemis: Mnemis;
let count = 0;
const scope = () => mnemis.scope(`scope ${++count}`);
beforeAll(async () => {
  mnemis = await open(freshPath());
});
afterAll(() => mnemis.close());

type Status = 'added' | 'known' | 'superseding' | 'rejected';
const a = turn('the heron eats fish');
const b = turn('the heron eats frogs');

const CASES: readonly {
  readonly name: string;
  /** Calls of `add`, one after the other, each with its inputs. */
  readonly calls: readonly (readonly AddInput[])[];
  readonly statuses: readonly (readonly Status[])[];
  /** Live contents afterwards, with session and index. */
  readonly live: readonly string[];
}[] = [
  {
    name: 'turns without an index follow each other',
    calls: [[a, b], [{ ...a, at: '2023-05-08T10:01Z' }]],
    statuses: [['added', 'added'], ['added']],
    live: ['main 0 the heron eats fish', 'main 1 the heron eats frogs', 'main 2 the heron eats fish'],
  },
  {
    name: 'the same words of the same speaker at the same time are known, each as often as they are stored',
    calls: [
      [a, b, a],
      [a, a],
      [a, b, { ...a, speaker: 'Ann' }, { ...a, session: 'other' }],
    ],
    statuses: [
      ['added', 'added', 'added'],
      ['known', 'known'],
      ['known', 'known', 'added', 'added'],
    ],
    live: [
      'main 0 the heron eats fish',
      'main 1 the heron eats frogs',
      'main 2 the heron eats fish',
      'main 3 the heron eats fish',
      'other 0 the heron eats fish',
    ],
  },
  {
    name: 'turns without a time are new each time',
    calls: [['heron'], [{ content: 'heron' }]],
    statuses: [['added'], ['added']],
    live: ['main 0 heron', 'main 1 heron'],
  },
  {
    name: 'other metadata are another version',
    calls: [
      [{ ...a, index: 3, metadata: { thread: 't1', place: 'pond' } }],
      [{ ...a, index: 3, metadata: { place: 'pond', thread: 't1' } }],
      [{ ...a, index: 3, metadata: { thread: 't2' } }],
    ],
    statuses: [['added'], ['known'], ['superseding']],
    live: ['main 3 the heron eats fish'],
  },
  {
    name: 'the same place with the same content is known',
    calls: [[{ ...a, index: 3 }], [{ ...a, index: 3 }]],
    statuses: [['added'], ['known']],
    live: ['main 3 the heron eats fish'],
  },
  {
    name: 'the same place with other content is a new version',
    calls: [[{ ...a, index: 3 }], [{ ...b, index: 3 }], [{ ...b, index: 3 }]],
    statuses: [['added'], ['superseding'], ['known']],
    live: ['main 3 the heron eats frogs'],
  },
  {
    name: 'the same place of another session is another turn',
    calls: [
      [
        { ...a, index: 0, session: 'x' },
        { ...a, index: 0, session: 'y' },
      ],
    ],
    statuses: [['added', 'added']],
    live: ['x 0 the heron eats fish', 'y 0 the heron eats fish'],
  },
  {
    name: 'a source id names a turn wherever it stands',
    calls: [[{ ...a, sourceId: '1', index: 0 }], [{ ...a, sourceId: '1', index: 7, session: 'other' }]],
    statuses: [['added'], ['known']],
    live: ['main 0 the heron eats fish'],
  },
  {
    name: 'the same id of another source is another turn',
    calls: [
      [
        { ...a, sourceId: '1', source: 'mail' },
        { ...a, sourceId: '1', source: 'chat' },
      ],
    ],
    statuses: [['added', 'added']],
    live: ['main 0 the heron eats fish', 'main 1 the heron eats fish'],
  },
  {
    name: 'a source id is not mistaken for a place',
    calls: [[{ ...a, index: 0 }], [{ ...b, index: 0, sourceId: '1' }]],
    statuses: [['added'], ['added']],
    live: ['main 0 the heron eats fish', 'main 0 the heron eats frogs'],
  },
  {
    name: 'known turns keep their places when the same list comes again, longer',
    calls: [
      [
        { ...a, sourceId: '1' },
        { ...b, sourceId: '2' },
      ],
      [
        { ...a, sourceId: '1' },
        { ...b, sourceId: '2' },
        { ...a, sourceId: '3' },
      ],
    ],
    statuses: [
      ['added', 'added'],
      ['known', 'known', 'added'],
    ],
    live: ['main 0 the heron eats fish', 'main 1 the heron eats frogs', 'main 2 the heron eats fish'],
  },
  {
    name: 'a new version without an index keeps its place',
    calls: [
      [
        { ...a, sourceId: '1' },
        { ...a, sourceId: '2' },
      ],
      [{ ...b, sourceId: '1' }],
    ],
    statuses: [['added', 'added'], ['superseding']],
    live: ['main 0 the heron eats frogs', 'main 1 the heron eats fish'],
  },
  {
    name: 'duplicates inside one call are stored once',
    calls: [
      [
        { ...a, index: 0 },
        { ...a, index: 0 },
        { ...a, sourceId: '1' },
        { ...a, sourceId: '1' },
      ],
    ],
    statuses: [['added', 'known', 'added', 'known']],
    live: ['main 0 the heron eats fish', 'main 1 the heron eats fish'],
  },
  {
    name: 'a chain of versions inside one call leaves the last one',
    calls: [
      [
        { ...a, sourceId: '1' },
        { ...b, sourceId: '1' },
        { ...a, sourceId: '1' },
        { ...a, sourceId: '1' },
      ],
    ],
    statuses: [['added', 'superseding', 'superseding', 'known']],
    live: ['main 0 the heron eats fish'],
  },
  {
    name: 'the speaker belongs to what was said',
    calls: [
      [
        { ...a, index: 0, speaker: 'Ann' },
        { ...a, index: 0, speaker: 'Bob' },
      ],
    ],
    statuses: [['added', 'superseding']],
    live: ['main 0 the heron eats fish'],
  },
  {
    name: 'attachments belong to what was said',
    calls: [
      [
        { ...a, index: 0 },
        { ...a, index: 0, attachments: [{ kind: 'photo', description: 'a pond' }] },
      ],
    ],
    statuses: [['added', 'superseding']],
    live: ['main 0 the heron eats fish'],
  },
  { name: 'an empty call does nothing', calls: [[]], statuses: [[]], live: [] },
];

describe('the outcomes of add', () => {
  it.each(CASES)('$name', async ({ calls, statuses, live }) => {
    const memory = scope();
    const ids: string[] = [];
    for (const [call, inputs] of calls.entries()) {
      const result = await memory.add(inputs);
      expect(result.outcomes.map((outcome) => outcome.status)).toEqual(statuses[call]);
      for (const status of ['added', 'known', 'superseding', 'rejected'] as const)
        expect(result[status]).toBe(statuses[call]!.filter((found) => found === status).length);
      for (const outcome of result.outcomes) if ('id' in outcome) ids.push(outcome.id);
    }
    const { nodes } = await graphOf(memory);
    const rows = nodes.episode.filter((row) => row.expiredAt === null);
    expect(rows.map((row) => `${row.session} ${row.index} ${row.content}`).sort()).toEqual([...live].sort());
    expect(new Set(nodes.episode.map((row) => row.id))).toEqual(new Set(ids));
  });

  it('names the version that a turn supersedes, and counts versions', async () => {
    const memory = scope();
    const { outcomes } = await memory.add([
      { ...a, index: 0 },
      { ...b, index: 0 },
    ]);
    const [first, second] = outcomes;
    expect(second).toMatchObject({ superseded: (first as { id: string }).id });
    const third = await memory.add({ ...a, index: 0 });
    expect(third.outcomes).toMatchObject([{ superseded: (second as { id: string }).id }]);
    const { episode } = (await graphOf(memory)).nodes;
    expect(episode.map((row) => [row.version, row.expiredAt === null])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  it('says how many turns wait to be consolidated, including those of earlier calls', async () => {
    const memory = scope();
    const pending = async (...turns: TurnInput[]) => (await memory.add(turns)).pending;
    expect(await pending({ ...a, index: 0 }, { ...b, index: 1 })).toBe(2);
    expect(await pending({ ...a, index: 0 })).toBe(2);
    expect(await pending({ ...b, index: 0 }, { ...a, index: 2 })).toBe(3);
    await memory.flush();
    expect(await pending()).toBe(0);
    // A corrected turn waits with the others of its segment, which are to be read anew.
    expect(await pending({ ...a, index: 1 })).toBe(3);
    expect((await memory.stats()).enrichment.pending).toBe(3);
  });

  it('takes one turn as well as a list', async () => {
    expect((await scope().add(a)).outcomes).toHaveLength(1);
  });
});

const SECRET = 'zyzzyva secret words';
const BAD: Readonly<Record<string, unknown>> = {
  'empty text': { at: 1, content: '' },
  'only spaces': { at: 1, content: ' \n\t ' },
  'too long by one': { at: 1, content: SECRET.padEnd(MAX_CONTENT_LENGTH + 1, 'x') },
  '1 MB': { at: 1, content: SECRET.repeat(50_000) },
  'a time in words': { content: SECRET, at: `${SECRET} ago` },
  'an ambiguous date': { content: SECRET, at: '8/5/2023' },
  'a day that does not exist': { content: SECRET, at: '2023-02-30' },
  'not a number': { content: SECRET, at: Number.NaN },
  'beyond all dates': { content: SECRET, at: 9e15 },
  'an invalid Date': { content: SECRET, at: new Date(Number.NaN) },
  'an unknown field': { content: SECRET, at: 1, mood: SECRET },
  'an unknown role': { content: SECRET, at: 1, role: SECRET },
  'a negative index': { content: SECRET, at: 1, index: -1 },
  'half an index': { content: SECRET, at: 1, index: 0.5 },
  'an index as text': { content: SECRET, at: 1, index: SECRET },
  'an empty session': { content: SECRET, at: 1, session: ' ' },
  'a session of 501 characters': { content: SECRET, at: 1, session: SECRET.padEnd(501, 'x') },
  'a bad attachment': { content: SECRET, at: 1, attachments: [{ kind: SECRET }] },
  'content that is a number': { content: 5, at: 1 },
  'no content': { at: 1 },
  'metadata that is no object': { content: SECRET, metadata: SECRET },
  'metadata of metadata': { content: SECRET, metadata: { a: { b: SECRET } } },
  'metadata of 11,000 characters': { content: SECRET, metadata: { a: SECRET.repeat(600) } },
  'empty words': '  ',
  number: 5,
  null: null,
  'a list': [[SECRET]],
};

describe('malformed turns', () => {
  it.each(Object.keys(BAD))(
    '%s: throws without a word of it, and stores nothing of the call',
    async (name) => {
      const memory = scope();
      const error: unknown = await memory.add([a, BAD[name] as TurnInput]).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'invalid-input',
        message: expect.stringMatching(/^Turn 2 of 2 is not valid/),
      });
      expect(String(error)).not.toMatch(/zyzzyva|secret/);
      expect((await memory.stats()).episode).toBe(0);
    },
  );

  it('an unknown option throws too', async () => {
    const memory = scope();
    await expect(memory.add(a, { sesion: 'x' } as AddOptions)).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect((await memory.stats()).episode).toBe(0);
  });
});

describe('texts and messages', () => {
  it('takes the words of a text, a turn and messages of LangChain, with what the options say', async () => {
    const memory = scope();
    const before = Date.now();
    const { outcomes } = await memory.add(
      [
        'I moved to Ghent.',
        { role: 'user', content: 'I like tea.', speaker: 'Ann' },
        new HumanMessage('And rye bread.'),
        new AIMessage({ content: [{ type: 'text', text: 'Noted.' }], id: 'm1' }),
        new AIMessage({ content: '', tool_calls: [{ name: 'clock', args: {} }] }),
        new ToolMessage({ content: 'noon', tool_call_id: '1', name: 'clock' }),
      ],
      { session: 'tea', speaker: 'Nora', metadata: { thread: 't1' } },
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['added', 'added', 'added', 'added', 'rejected', 'added'],
    ]);
    const turns = await memory.turns('tea');
    expect(turns.map(({ speaker, role, trust, content }) => [speaker, role, trust, content])).toEqual([
      ['Nora', 'user', 'normal', 'I moved to Ghent.'],
      ['Ann', 'user', 'normal', 'I like tea.'],
      ['Nora', 'user', 'normal', 'And rye bread.'],
      ['assistant', 'assistant', 'normal', 'Noted.'],
      ['tool', 'tool', 'low', 'noon'],
    ]);
    for (const { validAt, metadata } of turns) {
      expect(validAt).toBeGreaterThanOrEqual(before);
      expect(metadata).toEqual({ thread: 't1' });
    }
  });

  it('stores a message with an id once', async () => {
    const memory = scope();
    const message = new HumanMessage({ content: 'I like tea.', id: 'm1' });
    expect((await memory.add([message, message])).added).toBe(1);
    expect((await memory.add(message)).known).toBe(1);
    expect((await memory.add(message, { session: 'other' })).added).toBe(1);
  });
});

const TEXTS: Readonly<Record<string, string>> = {
  'the longest text': `kumquat ${'ab '.repeat(100_000)}`.slice(0, MAX_CONTENT_LENGTH),
  'lone surrogates': 'kumquat \ud83d and \ude00 end\ud83d',
  NUL: 'kumquat\u0000after\u0000',
  'control characters': 'kumquat \u0001\u0002\u001b[31m\u007f\u0085',
  'line separators': 'kumquat\u2028next\u2029next\r\nnext\rnext\nnext',
  emoji: 'kumquat 👩‍👩‍👧‍👦🏳️‍🌈🧠',
  CJK: 'kumquat 我昨天搬到了北京。記憶は大切です。한국어도',
  'right to left': 'kumquat \u202eשלום',
  quotes: `kumquat "'\`\\ $1 {x: 1} // -- ;`,
  'a word without end': `kumquat ${'x'.repeat(20_000)}`,
};

describe('texts of every kind', () => {
  it.each(Object.keys(TEXTS))('%s: stored unchanged and found at once', async (name) => {
    const memory = scope();
    const content = TEXTS[name]!;
    const result = await memory.add([turn('something else'), turn(content, { speaker: 'Ann\u0000\ud800' })]);
    expect(result).toMatchObject({ added: 2 });
    const found = (await memory.search('kumquat')).episodes[0]!;
    expect(found.content).toBe(content.toWellFormed());
    expect((await memory.add(turn(content, { speaker: 'Ann\u0000\ud800', index: 1 }))).known).toBe(1);
  });

  it('finds words of scripts without spaces', async () => {
    const memory = scope();
    await memory.add([turn('我昨天搬到了北京。'), turn('記憶は大切です。'), turn('🧠 matters')]);
    for (const [query, content] of [
      ['北京', '我昨天搬到了北京。'],
      ['大切', '記憶は大切です。'],
      ['🧠', '🧠 matters'],
    ] as const)
      expect(contents(await memory.search(query))[0]).toBe(content);
  });
});

describe('search after add', () => {
  it('finds each turn as soon as add resolves', async () => {
    const memory = scope();
    for (let day = 0; day < 15; day++) {
      const word = `quokka${String.fromCharCode(97 + day)}`;
      await memory.add(turn(`Today I saw ${word} again`));
      expect(contents(await memory.search(word, { k: 1 }))).toEqual([`Today I saw ${word} again`]);
    }
  });

  it('finds text of an attachment', async () => {
    const memory = scope();
    await memory.add([
      turn('', { attachments: [{ kind: 'photo', description: 'a red lighthouse' }] }),
      turn('Nice'),
    ]);
    expect((await memory.search('lighthouse')).episodes[0]?.attachments).toMatchObject([{ kind: 'photo' }]);
  });

  it('lets timers fire, however fast the store and however many adds follow each other', async () => {
    await using quick = await open(':memory:');
    const memory = quick.scope('a');
    let hasFired = false;
    setTimeout(() => {
      hasFired = true;
    }, 1);
    let adds = 0;
    while (!hasFired && adds < 300) await memory.add(turn(`heron ${adds++}`));
    expect(hasFired).toBe(true);
  });

  it('stores nothing of a call that was cancelled', async () => {
    const memory = scope();
    const signal = AbortSignal.abort();
    await expect(memory.add(a, { signal })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(memory.search('heron', { signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect((await memory.stats()).episode).toBe(0);
  });
});
