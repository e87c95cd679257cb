import { beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { AskOptions } from '../../src/engine/search-options.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { open, remember, turn } from '../engine/memory-fixture.ts';

const said = (content: string, more: Partial<TurnInput> = {}) =>
  turn(content, { speaker: 'Nora', role: 'user', at: '2026-04-20T10:00:00Z', ...more });

/** What somebody tells an assistant. */
const NOTES: readonly TurnInput[] = [
  said(
    'I went to see The Quiet Tide with my sister Asha last Tuesday. It also happens to be my all time favorite film!',
  ),
  said('Noted.', { speaker: 'assistant', role: 'assistant' }),
  said('I hate coriander, and I am a big fan of chamomile tea.'),
  said('My locker number is 12.'),
  said('Our two kids, Mira and Rohan, started school.'),
  said('I am a nurse at the clinic in Ghent.'),
  said('My dentist is Dr. Weiss on Mill Street.'),
  said('My friend Lena lives in Bergen. She plays the cello.'),
  said('My brother Tom lives in Porto.'),
  said('My favourite drink is cocoa.', { session: 'x' }),
  said('My favourite drink is oolong now.', { at: '2026-05-20T10:00:00Z', session: 'y' }),
  said('Here is the script:\n```js\nconst port = 8080;\nlisten(port);\n```', { session: 'z' }),
  said('Shopping list:\n- rye flour\n- butter\n- eggs', { session: 'w' }),
];
const TALK: readonly TurnInput[] = [
  turn('Look at this photo from my holiday!', { speaker: 'Ann' }),
  turn('Gorgeous! Where was that?', { speaker: 'Bob' }),
  turn('In Zermatt.', { speaker: 'Ann' }),
  turn('Did your mother come along?', { speaker: 'Bob' }),
  turn('No, my mother studied at Leuven, she had exams to mark.', { speaker: 'Ann' }),
  turn('My mother studied at Porto.', { speaker: 'Bob' }),
  turn('Wow, congrats on the hair transformation!', { speaker: 'Bob' }),
];

let notes: MemoryScope;
let talk: MemoryScope;
beforeAll(async () => {
  const memory = await open(':memory:');
  [notes, talk] = [memory.scope('notes'), memory.scope('talk')];
  await remember(notes, NOTES);
  await remember(talk, TALK);
});

async function chatOf(turns: readonly TurnInput[]) {
  const engine = await open(':memory:');
  const memory = engine.scope('chat');
  await remember(memory, turns);
  return { memory, [Symbol.asyncDispose]: () => engine.close() };
}

describe('an answer without a model', () => {
  it.each<readonly [string, string, RegExp]>([
    [
      'gives the sentence before one that leans on it',
      'What is my favourite film?',
      /^Nora: “I went to see The Quiet Tide .* It also happens/,
    ],
    ['resolves dates', 'When did I see The Quiet Tide?', /last Tuesday \(14 April 2026\)/],
    ['knows what is said for “dislike”', 'What do I dislike?', /^Nora.*hates? coriander/],
    ['knows what is said for “like”', 'What kind of tea do I like?', /^Nora.*fan of chamomile tea/],
    ['counts what is told', 'How many kids do we have?', /^Nora.*two kids, Mira and Rohan/],
    ['knows a job told without the word', 'What is my job?', /nurse at the clinic/],
    ['is not cut at an abbreviation', 'Who is my dentist?', /^Nora.*Dr\. Weiss on Mill Street/],
    [
      'gives the newest state first, with what it was before',
      'What is my favourite drink?',
      /^Nora.s favourite drink is oolong now\. \[1\] \(since 20 May 2026; before: cocoa \[2\]\)/,
    ],
    ['finds a misspelt name', 'Where does Lnea live?', /^Nora.*Lena lives in Bergen/],
    ['finds a misspelt word', 'What is my favourite drnik?', /^Nora.s favourite drink is oolong/],
  ])('%s: %s', async (_, question, words) => {
    const answer = await notes.ask(question);
    expect(answer.question).toBe(question);
    expect(answer.text).toMatch(words);
    expect(answer.citations.length).toBeLessThanOrEqual(4);
  });

  it('says nothing of a passport by another number', async () => {
    expect(await notes.ask('What is my passport number?')).toMatchObject({ answered: false });
    expect((await notes.ask('What is my locker number?')).text).toContain('12');
  });

  it.each<readonly [string, AskOptions, RegExp]>([
    ['And what about Tom?', { earlier: ['Where does Lena live?'] }, /^Nora.*Tom lives in Porto/],
    ['What does she play?', { earlier: ['Where does Lena live?'] }, /cello/],
    ['What is my job?', { asker: 'Nora' }, /nurse/],
  ])('reads a question in its conversation: %s', async (question, options, words) => {
    expect((await notes.ask(question, options)).text).toMatch(words);
  });

  it.each(['What do you know about me?', 'Tell me about Nora', 'Who is Nora?'])(
    'gives a profile: %s',
    async (question) => {
      const { text, citations } = await notes.ask(question);
      for (const words of ['nurse', 'Tom', 'coriander', 'oolong']) expect(text).toContain(words);
      expect(text).not.toContain('cocoa');
      for (const { number } of citations) expect(text).toContain(`[${number}]`);
      expect(text).toMatch(/^- Work and study: (?:You|Nora) /m);
    },
  );

  it('keeps code and lists well-formed, with the citation after them', async () => {
    expect((await notes.ask('What does the script listen on?')).text).toMatch(
      /^Nora:\n\n> ```js\n> const port = 8080;\n> listen\(port\);\n> ```\n\n\[1\]/,
    );
    expect((await notes.ask('What is on the shopping list?')).text).toMatch(
      /^Nora:\n\n> Shopping list:\n> - rye flour\n> - butter\n> - eggs\n\n\[1\]/,
    );
  });

  it('gives a short reply with its question, and both turns as sources', async () => {
    const { text, citations } = await talk.ask('Where was the holiday of Ann?');
    expect(text).toContain('Bob: “Where was that?” – Ann: “In Zermatt.”');
    const reply = citations.find(({ quote }) => quote.includes('Zermatt'))!;
    expect(reply.item.sources.map(({ index }) => index)).toEqual(expect.arrayContaining([2, 1]));
  });

  it('takes the right person’s mother', async () => {
    expect((await talk.ask('Where did Bob’s mother study?')).text).toMatch(/^Bob.*Porto/);
    expect((await talk.ask('Where did Ann’s mother study?')).text).toMatch(
      /Ann: “No, my mother studied at Leuven/,
    );
  });

  it.each([
    ['a name', 'What is my sister-in-law called?'],
    ['a person who is no speaker', 'What did Joakim win at the chess tournament?'],
    ['a thing of another owner', 'What does Iris’s brother do for a living?'],
  ])('is declined where memory has not %s', async (_, question) => {
    await using chat = await chatOf([
      said('My sister Asha won the chess tournament yesterday.'),
      said('Lena’s brother is a roofer, he fixed our roof for a living wage.'),
      said('My friend Joakim is called Jo by everybody.', { session: 'other' }),
      said('Iris moved to Ghent.', { session: 'third' }),
    ]);
    expect(await chat.memory.ask(question, { asker: 'Nora' })).toMatchObject({ answered: false });
  });

  it('has no quote twice, and no period that begins and ends on one day', async () => {
    await using chat = await chatOf([
      said('I adopted a hamster named Pixel.', { session: 'a' }),
      said('I adopted a hamster named Pixel.', { session: 'b', at: '2026-04-25T10:00:00Z' }),
      said('I moved to Oslo last month.', { session: 'c' }),
      said('I moved to Madrid last month.', { session: 'd' }),
    ]);
    const { citations } = await chat.memory.ask('Which pets did Nora adopt?');
    const quotes = citations.map(({ quote }) => quote);
    expect(quotes.length).toBeGreaterThan(0);
    expect(new Set(quotes).size).toBe(quotes.length);
    const { text } = await chat.memory.ask('Where did Nora move to?');
    expect(text).toMatch(/Oslo|Madrid/);
    expect(text).not.toMatch(/\((\d{4}-\d\d-\d\d) to \1\)/);
  });

  it('is found by what a quote leans on, where the question names no speaker', async () => {
    await using chat = await chatOf([
      said('There is a summer school for paper restoration in Coimbra.', { at: '2026-04-20T10:00:00Z' }),
      said('Lovely! When?', { speaker: 'Felix', at: '2026-04-20T10:01:00Z' }),
      said('On the seventh of July, for four weeks.', { at: '2026-04-20T10:02:00Z' }),
    ]);
    const answer = await chat.memory.ask('When does the summer school in Coimbra start?');
    expect(answer.text).toContain('seventh of July');
  });

  it('is no echo of the question', async () => {
    const { text, answered } = await talk.ask('What was Ann’s hair transformation?');
    expect(text).not.toContain('congrats');
    expect(answered).toBe(false);
  });
});
