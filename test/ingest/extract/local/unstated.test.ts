import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';
import { unstatedIn } from '../../../../src/util/unstated.ts';

const SAID_AT = Date.UTC(2026, 2, 2, 9);

type Given = Partial<TurnToRead> & { readonly content: string };

function turn(given: Given): TurnToRead {
  return { speaker: 'Alice', role: 'user', validAt: SAID_AT, attachments: [], ...given };
}

async function read(...turns: readonly (string | Given)[]) {
  const unit = turns.map((each) => turn(typeof each === 'string' ? { content: each } : each));
  const { facts, entities } = await new LocalExtractor().extract(unit, { known: () => false });
  return {
    facts: facts.map(({ statement }) => statement),
    names: entities.map(({ name }) => name).filter((name) => !unit.some(({ speaker }) => speaker === name)),
  };
}

describe('texts of others state nothing of the speaker', () => {
  it.each([
    'Translate: "I live in Berlin"',
    "Translate: 'I live in Berlin'",
    'Translate: I live in Berlin',
    'Translate to French: I live in Berlin. I have a dog.',
    'Translate into German: My sister works at Bosch.',
    'Please translate this into Spanish: I have two cats and live in Boston.',
    'Can you translate "I live in Berlin" into French?',
    'How do I say this in Dutch: I live in Berlin.',
    'Translate the following sentence to Dutch:\n\nI moved to Oslo last year.',
    'I moved to Oslo last year.\n\nTranslate this to Dutch.',
    'Proofread: I works at Google since 2019.',
    'Fix the grammar: I has two dog and lives in Rome.',
    'Correct this sentence: I am living in Rome since two years.',
    'Rewrite this more politely: I quit my job at Acme.',
    'Paraphrase: "I have a dog called Rex."',
    'Summarize the following text: I grew up in Boston. I have three brothers and I work as a nurse.',
    'Explain the sentence "I moved to Rome when I was five."',
    'Here is the article:\n\nI live in Boston and I have two cats.\n\nI work at the hospital.',
    'Here is the letter from Dr. Hale:\n\nI live in Boston and I have two cats.',
    'Letter from Dr. Hale:\nI live in Boston and I have two cats.',
    'This is an email I got:\nWe moved to Oslo in May.',
    '> I live in Boston\n> and I have two cats',
    'Here is the e-mail I got:\n> I moved to Lisbon.\n> Best, Tom',
    'Quote:\n> I live in Rome.',
    'What my mother sent:\n> I bought a boat.',
    'Could you please proofread the following? I has moved to Rome in May.',
    'Make this sound more formal: I quit my job at Acme.',
    'This is from the newspaper: I was born in Rome and I have six children.',
    'Read this and tell me what you think: I live in Boston and have two cats.',
    'The text below is a cover letter.\n\nI have worked at Acme for five years.',
    '<article>\nI live in Boston and I have two cats.\n</article>',
    "'''\nI live in Boston\n'''\nSummarize.",
    'From: Jim Hale\nTo: me\nSubject: cats\n\nI live in Boston and I have two cats.',
    '---------- Forwarded message ----------\nFrom: Jim\n\nI live in Boston.',
    "The doctor's letter says: I live in Boston and I have two cats.",
    'The lyrics go "I left my heart in San Francisco".',
    '```\nI live in Berlin\n```',
  ])('%s', async (content) => {
    expect((await read(content)).facts).toEqual([]);
  });

  it('what an article tells of others is read', async () => {
    const { facts } = await read(
      'Summarise this article:\n\nMaria Lopez moved to Lisbon in 2019. I met her there.',
    );
    expect(facts).toEqual(['Maria Lopez moved to Lisbon in 2019']);
  });

  it.each([
    ['Translate: "I live in Berlin". By the way, I live in Ghent.', 'Alice lives in Ghent'],
    ['Translate to French: "I have two cats." I live in Ghent myself.', 'Alice lives in Ghent themselves'],
    ['Translate to French: I have two cats. By the way, I live in Ghent.', 'Alice lives in Ghent'],
    [
      'Summarize this:\n"""\nI grew up in Boston. I work as a nurse.\n"""\nI work at Acme.',
      'Alice works at Acme',
    ],
    ['Here is what the letter says: "I live in Boston." I live in Ghent.', 'Alice lives in Ghent'],
    [
      'On Mon, 2 Mar 2026 Jim Hale <jim@example.org> wrote:\n> I have two cats.\n\nI live in Ghent.',
      'Alice lives in Ghent',
    ],
    ['> I have two cats\n\nI live in Ghent.', 'Alice lives in Ghent'],
  ])('what follows counts: %s', async (content, expected) => {
    const { facts } = await read(content);
    expect(facts).toContain(expected);
    expect(facts.filter((fact) => fact !== expected && fact.includes('Alice'))).toEqual([]);
  });

  it('neither does the document of an attachment', async () => {
    const letter = { role: 'other', speaker: 'letter.md', source: 'markdown' } as const;
    const content = 'I live in Boston and I have two cats. Maria Lopez works at the clinic in Oslo.';
    const { facts } = await read({ ...letter, content }, 'Keep this letter.');
    expect(facts).toEqual(['Maria Lopez works at the clinic in Oslo']);
  });
});

describe('what is made up states nothing', () => {
  it.each([
    'Pretend that my name is Napoleon.',
    'Pretend my name is Napoleon.',
    "Let's pretend that I am the queen of Spain.",
    'Pretend you are a pirate who lives in Tortuga.',
    'Imagine that I live in Rome.',
    'Imagine I have a brother called Tom. He works at Google.',
    'Imagine Anna lives in Rome.',
    'Suppose I lived in Rome.',
    'Suppose that Anna moved to Oslo.',
    "Let's say I live in Rome.",
    'Let us say my salary is 5000 euros.',
    'Say I have two cats, what food do I need?',
    'Assume I work at Google.',
    'Assuming I live in Rome, what taxes do I pay?',
    'What if I moved to Oslo?',
    'Act as my grandmother. She lives in Rome.',
    'You are a pirate named Jack. You live in Tortuga.',
    'I want you to act as a doctor who works in Boston.',
    'Roleplay: I am a knight and I live in Camelot.',
    "Let's role-play. I am a knight and I live in Camelot.",
    'Once upon a time I lived in Camelot. I had a dragon.',
    'In a parallel universe I live in Rome.',
    "Let's play a game: I am a spy and I live in Moscow.",
    'The protagonist of my book is a nurse who lives in Oslo.',
    'Story idea: Anna moves to Oslo and falls in love with Tom.',
    'Write a story where I am a pirate named Jack who lives in Tortuga.',
    'Write a poem in which Anna lives in Rome.',
    'Write a short story. Anna lives in Rome. She has a dog called Rex.',
    'Tell me a story about a boy named Tim who lives in Paris.',
    'Draft a letter: Dear Sir, I am writing to you because I live in Boston.',
    'Write a letter to my landlord.\n\nDear Sir,\nI live in Boston and my heating is broken.\nKind regards',
    'If I lived in Rome, I would eat pizza every day.',
    'If I were a millionaire, I would live in Monaco.',
    'In my novel, Anna lives in Rome.',
    'In the book, the hero moves to Oslo.',
    'In the video game I own a castle in Camelot.',
    'In my dream I lived in Rome.',
    'Last night I dreamed that I lived in Rome.',
    'The character lives in Rome and works as a spy.',
    'Hypothetically, I move to Oslo next year.',
    'For example, "I live in Rome" is a simple sentence.',
    'For example: I live in Rome.',
    'How do I form the past tense? For example, I moved to Oslo.',
    'E.g. I moved to Oslo.',
    "A sentence such as 'I live in Rome' has four words.",
    'As an example, my name is John Doe and I live in Springfield.',
    "Here's a joke: I moved to Oslo and my fridge was jealous.",
    'Fill in the template: My name is [name] and I live in [city].',
    'My name is <name> and I live in <city>.',
  ])('%s', async (content) => {
    expect(await read(content)).toEqual({ facts: [], names: [] });
  });

  it.each([
    ['I translate books at Penguin.', 'Alice translates books at Penguin'],
    ['I wrote a story about Rome last year.', 'Alice wrote a story about Rome last year (2025)'],
    ['My dream is to live in Rome.', "Alice's dream is to live in Rome"],
    ['I play a pirate in our school play in Ghent.', "Alice plays a pirate in Alice's school play in Ghent"],
    ['I act as treasurer of the Ghent chess club.', 'Alice acts as treasurer of the Ghent chess club'],
    [
      'In the game yesterday I scored two goals.',
      'In the game yesterday (1 March 2026) Alice scored two goals',
    ],
    ['In my book club, Anna reads the most.', "In Alice's book club, Anna reads the most"],
    [
      'I love change. For example, I moved to Oslo last year.',
      'For example, Alice moved to Oslo last year (2025)',
    ],
    ['Note: I live in Ghent.', 'Alice lives in Ghent'],
    ['Remember this: my sister Ana lives in Lyon.', "Alice's sister Ana lives in Lyon"],
    ['Here is my bio: I live in Ghent.', 'Alice lives in Ghent'],
    ['Correct: I live in Ghent.', 'Alice lives in Ghent'],
    ['Imagine my surprise when I won the lottery! I moved to Oslo.', 'Alice moved to Oslo'],
    ["Let's say hello to Anna. I moved to Oslo.", 'Alice moved to Oslo'],
    ['Act as a travel agent. I live in Ghent.', 'Alice lives in Ghent'],
    [
      'Write a birthday poem for my wife. My wife Eva works at the clinic.',
      "Alice's wife Eva works at the clinic",
    ],
    ['If I get the job, I will move to Oslo.', 'If Alice gets the job, they will move to Oslo'],
    ['I sold the <old> boat.', 'Alice sold the <old> boat'],
    ['Anna told me: "I live in Rome."', 'Anna says Anna lives in Rome'],
  ])('but: %s', async (content, expected) => {
    expect((await read(content)).facts).toContain(expected);
  });
});

it.each(['please ', 'if I had ', '"a\n', '> a\n', '<a>\n', 'sent me this ', "'a ", 'write me ', '"""'])(
  'hostile texts take linear time: %j',
  (part) => {
    expect(unstatedIn(part.repeat(Math.ceil(400_000 / part.length)))).toBeDefined();
  },
);

it.each([
  ['Dr. Otto Klein told me a joke.', 'Dr. Otto Klein'],
  ['Prof. Ana Ruiz lives in Rome.', 'Prof. Ana Ruiz'],
  ['Mr. T is my hero.', 'Mr. T'],
  ['J. R. R. Tolkien taught in Leeds.', 'J. R. R. Tolkien'],
  ['George R. R. Martin lives in Santa Fe.', 'George R. R. Martin'],
  ["I work at St. John's Hospital.", "St. John's Hospital"],
  ["I love St. Mary's in Ghent.", "St. Mary's"],
  ['My boss Dr. Otto Klein lives in Ghent.', 'Dr. Otto Klein'],
])('names with a title %s', async (content, name) => {
  const { names } = await read(content);
  expect(names).toContain(name);
  expect(names.filter((other) => other !== name && name.includes(other))).toEqual([]);
  expect(names.filter((other) => /\.$/.test(other))).toEqual([]);
});

describe('a question states nothing and names no entity', () => {
  it.each([
    'Do you know where Anna works?',
    'Is Tom in Berlin?',
    'Where can I buy a Fender?',
    'Should I move to Oslo?',
    "Isn't Ghent lovely?",
    'I wonder whether Anna moved to Oslo.',
    "I'm wondering if Anna still lives in Rome.",
    "I'd like to know who owns the Blue Note.",
    'I want to know where Anna works.',
    'I am curious whether Tom moved to Oslo.',
    "I'm not sure whether Anna works at Google.",
    "I don't know where Anna lives.",
    'No idea where Anna lives.',
    'Wondering if Tom moved to Oslo.',
    'Not sure if Anna works at Google.',
    'Tell me if Tom is in Berlin.',
    'Please tell me where Anna works',
    'Let me know whether Tom moved to Oslo',
    'where does Anna live',
    'do you know if Tom moved to Oslo',
    'how old is Tom Miller',
    'I live in Ghent, right?',
  ])('%s', async (content) => {
    expect(await read(content)).toEqual({ facts: [], names: [] });
  });

  it.each([
    ['I live in Ghent, do you?', 'Alice lives in Ghent'],
    ['I live in Ghent, and you?', 'Alice lives in Ghent'],
    ['I live in Ghent, what about Tom?', 'Alice lives in Ghent'],
    ['I moved to Oslo, where can I buy a bike?', 'Alice moved to Oslo'],
    ['My sister lives in Rome, does yours?', "Alice's sister lives in Rome"],
    ["I don't know if I told you, but I moved to Oslo.", 'Alice moved to Oslo'],
    ['I asked whether Tom moved to Oslo.', 'Alice asked whether Tom moved to Oslo'],
    ['When I was in Rome, I bought a violin.', 'When Alice was in Rome, Alice bought a violin'],
    ['Was in Rome last week.', 'Alice was in Rome last week (week of 23 February 2026)'],
  ])('but: %s', async (content, expected) => {
    const { facts } = await read(content);
    expect(facts.map((fact) => fact.replace(', they ', ', Alice '))).toContain(expected);
  });

  it('what a statement names as well, the question mentions', async () => {
    const { names } = await read('Do you know where Anna works?', 'Anna works at Globex.');
    expect(names).toEqual(['Anna', 'Globex']);
  });
});

describe('an answer of the assistant states nothing of the user', () => {
  const assistant = (content: string): Given => ({ content, role: 'assistant', speaker: 'assistant' });

  it.each([
    'You live in Paris, so try Septime.',
    'You moved to Paris last year.',
    'As a vegetarian you could cook a risotto.',
    'Your wife Anna loves mushrooms.',
    'Here is a plan:\n1. Book a room at Hotel Aurora.\n2. Meet your friend Tom in Oslo.',
    'Hotel Aurora is the best hotel in Ghent.',
    'The Louvre opens at nine on Mondays.',
    'I remember that you live in Paris.',
    'We met in Rome last year.',
  ])('%s', async (content) => {
    const { facts } = await read('Help me plan a weekend.', assistant(content));
    expect(facts).toEqual([]);
  });

  it('what it did or proposed is a fact of the assistant', async () => {
    const { facts } = await read(
      'Help me.',
      assistant('I booked a table at Septime. I recommend Hotel Aurora.'),
    );
    expect(facts).toEqual(['Assistant booked a table at Septime', 'Assistant recommends Hotel Aurora']);
  });

  it.each([{ source: 'mcp' }, { source: 'remember-tool' }, { source: 'mem0' }])(
    'what an agent remembers is read: $source',
    async (from) => {
      const note = { ...assistant('Ana lives in Lyon.'), ...from };
      expect((await read('I live in Bern.', note)).facts).toContain('Ana lives in Lyon');
    },
  );

  it('a turn of a program without a talk is read as a note', async () => {
    expect((await read(assistant('Ana lives in Lyon.'))).facts).toEqual(['Ana lives in Lyon']);
  });

  it('nothing is told of a machine that is spoken to', async () => {
    const { facts } = await read(
      assistant('Hello!'),
      'You are Napoleon. You live on Elba. You have a horse.',
    );
    expect(facts).toEqual([]);
  });
});
