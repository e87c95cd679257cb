import { describe, expect, it } from 'vitest';
import { asksAdviser } from '../../src/answer/candidate-quotes.ts';
import { isDenied, isSaid } from '../../src/answer/wordings.ts';
import { Mnemis } from '../../src/engine.ts';
import { NOT_ENOUGH } from '../../src/model/fixed-replies.ts';
import { told } from './told.ts';

it.each(['hates', 'dislikes', 'detests', 'loathes', 'despises', 'abhors'])(
  '“%s” is a dislike wherever a dislike is asked for or denies a liking',
  (verb) => {
    for (const asked of ['hate', 'dislik']) expect(isSaid(asked, `Kay ${verb} fog.`)).toBe(true);
    expect(isDenied('like', `Kay ${verb} fog.`)).toBe(true);
  },
);

it.each([
  ['She works in a mill.', true],
  ['I wrote a play that works in any hall.', false],
  ['They chose a plan which worked for both.', false],
])('tells work from what works: %s', (sentence, isWork) => {
  expect(isSaid('work', sentence)).toBe(isWork);
});

describe('a question in other words than it was told', () => {
  it.each(['What does Kay usually drink at breakfast?', 'What does Kay drink at breakfast as a habit?'])(
    'asks for a habit: %s',
    async (question) => {
      const memory = await told([
        ['2026-05-01', 'Kay', 'At breakfast I drink buttermilk.'],
        ['2026-05-02', 'Joss', 'The habit of the monks was brown.'],
      ]);
      const { text } = await memory.ask(question);
      expect(text).toMatch(/buttermilk/);
      expect(text).not.toMatch(/monks/);
    },
  );
});

describe('what is said around a quote', () => {
  const talk = () =>
    told([
      ['2026-05-01', 'Kay', 'My brother Joss flies planes.'],
      ['2026-05-01', 'Ann', 'Where is Joss based?'],
      ['2026-05-01', 'Kay', 'In Turku.'],
      ['2026-05-02', 'Kay', 'I may open a kiosk in June.'],
      ['2026-05-04', 'Ann', 'How was Oulu?'],
      ['2026-05-04', 'Kay', 'We spent the whole Saturday at Nagu.'],
      ['2026-05-06', 'Kay', 'From April I am with a small studio called Harbour.'],
    ]);

  it.each([
    ['is a question in other words', 'Where does Kay’s brother live?', /Turku/],
    ['names the place', 'What did Kay do on the Saturday in Oulu?', /Nagu/],
    ['need not name the second of two', 'What do Kay and Wilma want to open in June?', /kiosk/],
    ['says who employs somebody', 'Where does Kay work?', /Harbour/],
  ])('%s: %s', async (_, question, words) => {
    const memory = await talk();
    expect((await memory.ask(question)).text).toMatch(words);
  });

  it('does not make one place of another', async () => {
    const memory = await talk();
    expect((await memory.ask('What did Kay do on the Saturday in Lund?')).answered).toBe(false);
  });
});

it('is told what changed by what came instead', async () => {
  const memory = await told([
    ['2026-05-01', 'Kay', 'The fair is planned for 20 May in the park.'],
    ['2026-05-03', 'Kay', 'We moved the fair to the town hall.'],
    ['2026-05-04', 'Ann', 'I bought a pump.'],
  ]);
  expect((await memory.ask('What changed about the fair?')).text).toMatch(/town hall/);
});

describe('a relative of a relative', () => {
  it.each([
    ['What is my husband’s sister called?', /Saskia/],
    ['What does my husband’s sister do?', /clears houses/],
    ['How is Saskia related to Ruben?', /Ruben's sister/],
    ['What is Ruben’s sister called?', /Saskia/],
    ['Where does my daughter’s boyfriend’s mother live?', /Ghent/],
  ])('%s', async (question, words) => {
    const memory = await told([
      ['2026-05-01', 'Otti', 'My husband Ruben is a baker.'],
      ['2026-05-02', 'Otti', "My sister-in-law Saskia clears houses for a living. She's Ruben's sister."],
      ['2026-05-03', 'Otti', 'My daughter Ida has a boyfriend, Bo.'],
      ['2026-05-04', 'Otti', "Bo's mother Karin lives in Ghent."],
    ]);
    expect((await memory.ask(question, { asker: 'Otti' })).text).toMatch(words);
  });
});

describe('a yes', () => {
  const talk = () => told([['2026-05-01', 'Kay', 'I promise to print the programmes by Friday.']]);

  it('is not said of what was only promised', async () => {
    const { text } = await (await talk()).ask('Did Kay print the programmes?');
    expect(text).not.toMatch(/^Yes/);
    expect(text).toMatch(/promises/);
  });

  it.each([
    ['I hope to sell the boat.', 'Did Kay sell the boat?', false],
    ['I will sell the boat.', 'Will Kay sell the boat?', true],
    ['I sold the boat to a wife if I remember well.', 'Did Kay sell the boat to a wife?', false],
    ['I wanted to sell the boat.', 'Does Kay want to sell the boat?', false],
  ])('is said where nothing is left open: %s %s', async (words, question, isYes) => {
    const memory = await told([['2026-05-04', 'Kay', words]]);
    expect(/^Yes/.test((await memory.ask(question)).text)).toBe(isYes);
  });

  it('is said of what was done in May', async () => {
    const memory = await told([['2026-05-04', 'Kay', 'I sold the boat on 3 May.']]);
    expect((await memory.ask('Did Kay sell the boat?')).text).toMatch(/^Yes/);
  });

  it('is said of the promise', async () => {
    expect((await (await talk()).ask('Did Kay promise to print the programmes?')).text).toMatch(/^Yes/);
  });
});

describe('what an assistant advised', () => {
  it.each([
    ['Which oil did you recommend for my aunt?', true],
    ['What is the oil that you suggested?', true],
    ['What have you told me of Bern?', true],
    ['What did Joss suggest?', false],
    ['Can you give me a list of my trips?', false],
    ['Do you recommend oil?', false],
  ])('is asked for: %s', (question, isAsked) => {
    expect(asksAdviser(question)).toBe(isAsked);
  });

  it.each([
    'What did you recommend against moths?',
    'What did Fern recommend against moths?',
    'What was Fern’s advice about moths?',
    'What did fern say about moths?',
    'What did the assistant Fern suggest against moths?',
  ])('is asked for by a name, too: %s', async (question) => {
    await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
    const memory = engine.scope('a');
    for (const [speaker, role, content] of [
      ['Kay', 'user', 'How do I get rid of moths?'],
      ['Fern', 'assistant', 'Cedar balls help against moths.'],
      ['Kay', 'user', 'Joss recommends a cat.'],
    ] as const)
      await memory.add({ speaker, role, content, session: 's', at: '2026-05-01T10:00Z' });
    await memory.flush();
    const answer = await memory.ask(question, { asker: 'Kay' });
    expect(answer.text).toMatch(/Cedar/);
    expect(answer).toMatchObject({ question, search: { query: question } });
  });

  it('answers though it names those to whom it was given', async () => {
    await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
    const memory = engine.scope('a');
    for (const [speaker, role, content] of [
      ['Kay', 'user', 'What could I bring my aunt to the hospital?'],
      ['assistant', 'assistant', 'You could bring your aunt peppermint oil to the hospital.'],
      ['Kay', 'user', 'Thanks, she likes that.'],
    ] as const)
      await memory.add({ speaker, role, content, session: 's', at: '2026-05-01T10:00Z' });
    await memory.flush();
    const { text } = await memory.ask('Which oil did you suggest for my aunt in the hospital?', {
      asker: 'Kay',
    });
    expect(text).toMatch(/peppermint/);
  });

  it.each<[string, RegExp | null]>([
    ['What did you suggest for the rash?', /^assistant: “A zinc cream/],
    ['What did you recommend for six people?', /lasagne/],
    ['Which book did you recommend?', /^assistant: “Try "The Hobbit"/],
    ['What did you tell me about the cream?', /zinc cream/],
    ['What was your advice for the rash?', /^assistant: “A zinc cream/],
    ['What was the name of the book you mentioned?', /The Hobbit/],
    ['What was the first option you gave me for my rash?', /zinc cream/],
    ['What did you advise against?', null],
    ['Which film did you recommend?', null],
    // What a person said of it is no advice.
    ['What did you suggest for my knee?', null],
  ])('is quoted though no answer says “suggest”: %s', async (question, expected) => {
    await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
    const memory = engine.scope('a');
    for (const [session, role, content] of [
      ['s1', 'user', 'I got a rash on my arm after gardening.'],
      ['s1', 'assistant', 'A zinc cream twice a day helps with rashes; keep it dry.'],
      ['s2', 'user', 'What shall I cook for six people on Sunday?'],
      ['s2', 'assistant', 'Make a big lasagne with spinach: it can be prepared the day before.'],
      ['s3', 'user', 'I need a book for the train.'],
      ['s3', 'assistant', 'Try "The Hobbit" by Tolkien, it reads quickly.'],
      ['s4', 'user', 'My knee hurts, my sister suggested an ice pack for the knee.'],
    ] as const)
      await memory.add({
        speaker: role === 'user' ? 'Ann' : role,
        role,
        content,
        session,
        source: 'chatgpt',
        at: '2026-05-01',
      });
    await memory.flush();
    const { text, answered } = await memory.ask(question, { asker: 'Ann' });
    if (expected === null) expect([answered, text]).toEqual([false, NOT_ENOUGH]);
    else expect(text).toMatch(expected);
  });
});
