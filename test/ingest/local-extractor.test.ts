import { beforeAll, describe, expect, it } from 'vitest';
import { CancelledError } from '../../src/errors/index.ts';
import {
  type Extraction,
  MAX_STATEMENT_LENGTH,
  type TurnToRead,
} from '../../src/ingest/extract/extractor.ts';
import { LocalExtractor } from '../../src/ingest/extract/local/local-extractor.ts';

/** Monday. */
const SAID_AT = Date.UTC(2024, 5, 10, 9);
const extractor = new LocalExtractor();
const options = { known: () => false };

function turn(speaker: string, content: string, rest: Partial<TurnToRead> = {}): TurnToRead {
  return { content, speaker, role: 'user', validAt: SAID_AT, attachments: [], ...rest };
}

/** Priya speaks to Robert. */
function say(content: string, rest?: Partial<TurnToRead>): Promise<Extraction> {
  return extractor.extract([turn('Robert', 'Hello!'), turn('Priya', content, rest)], options);
}

async function statements(content: string): Promise<string[]> {
  return (await say(content)).facts.map(({ statement }) => statement);
}

beforeAll(async () => {
  await say('Warm up.');
});

describe('facts', () => {
  it.each([
    ["I'm swamped with deadlines.", 'Priya is swamped with deadlines'],
    ["I've been learning Portuguese.", 'Priya has been learning Portuguese'],
    ['I play the cello and teach beginners.', 'Priya plays the cello and teaches beginners'],
    ['I often carry an umbrella.', 'Priya often carries an umbrella'],
    ["I don't eat gluten.", 'Priya does not eat gluten'],
    ["I can't drive a truck.", 'Priya cannot drive a truck'],
    ['I never drink coffee.', 'Priya never drinks coffee'],
    ['My kids broke the kitchen window.', "Priya's kids broke the kitchen window"],
    ['The nurse gave me a vaccine.', 'The nurse gave Priya a vaccine'],
    ['I taught myself carpentry.', 'Priya taught themselves carpentry'],
    [
      'I want to visit Norway and photograph glaciers.',
      'Priya wants to visit Norway and photograph glaciers',
    ],
    ['You fixed my bicycle.', "Robert fixed Priya's bicycle"],
    ['Your sister runs a bakery.', "Robert's sister runs a bakery"],
    ['We were painting the garage.', 'Priya was painting the garage'],
    ['We cooked dinner together.', 'Priya and others cooked dinner together'],
    ['You and I cooked dinner.', 'Robert and Priya cooked dinner'],
    ['My brother and I own a sailboat.', "Priya's brother and Priya own a sailboat"],
    ['I went to a LGBTQ choir yesterday.', 'Priya went to an LGBTQ choir yesterday (9 June 2024)'],
    ['I adopted a greyhound last year.', 'Priya adopted a greyhound last year (2023)'],
    ['Went to the aquarium last Saturday!', 'Priya went to the aquarium last Saturday (8 June 2024)'],
    ['Been fixing the roof.', 'Priya has been fixing the roof'],
    ['Gonna repaint the hallway.', 'Priya is going to repaint the hallway'],
    ['Hey Robert, I quit smoking!', 'Priya quit smoking'],
    ['I baked a rye loaf, Rob.', 'Priya baked a rye loaf'],
    [
      'I planted a fig tree. It reminds me of Greece.',
      'Priya planted a fig tree; it reminds Priya of Greece',
    ],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toEqual([expected]);
  });

  it('splits a sentence into independent clauses', async () => {
    expect(await statements('I sold the boat, but Robert kept the trailer and I miss the lake.')).toEqual([
      'Priya sold the boat',
      'Robert kept the trailer',
      'Priya misses the lake',
    ]);
  });

  it.each([
    'Hi Robert! How are you?',
    'Thanks so much, Robert!',
    'Wow, amazing!',
    'That sounds great.',
    "I'm so happy for you!",
    'I totally agree.',
    'Did you see the eclipse?',
    'Take care and talk to you soon!',
    'Let me know if you need anything.',
    'It was wonderful.',
    'Good luck with everything!',
    'You got this!',
    "You can feel it when you're among old friends.",
    "I'm always here to support you.",
  ])('reads nothing from small talk: %s', async (content) => {
    expect(await statements(content)).toEqual([]);
  });

  it('makes a relation if both ends are entities', async () => {
    const [fact] = (await say('I work at a pottery workshop.')).facts;
    expect(fact).toMatchObject({
      kind: 'relation',
      subject: 'Priya',
      relation: 'work at',
      object: 'pottery workshop',
      turns: [1],
    });
  });

  it('keeps the event and derives from a past one since when it holds', async () => {
    const [past] = (await say('I bought a canoe last week.')).facts;
    expect(past?.event).toMatchObject({ precision: 'week', text: 'last week', start: Date.UTC(2024, 5, 3) });
    expect(past?.validAt).toBe(Date.UTC(2024, 5, 3));
    const [future] = (await say('I will buy a canoe next month.')).facts;
    expect(future?.validAt).toBe(SAID_AT);
    expect(future?.statement).toContain('next month (July 2024)');
  });

  it('dates a plan for a period that has begun by the turn', async () => {
    const [plan] = (await say('I will sell the canoe this month.')).facts;
    expect(plan).toMatchObject({
      validAt: SAID_AT,
      event: { start: Date.UTC(2024, 5, 1), precision: 'month' },
    });
  });

  it('trusts a condition less than a plan and a plan less than a report', async () => {
    const [report] = (await say('I built a greenhouse.')).facts;
    const [plan] = (await say('I will build a greenhouse.')).facts;
    const [condition] = (await say('I might build a greenhouse.')).facts;
    expect(report!.confidence).toBeGreaterThan(plan!.confidence);
    expect(plan!.confidence).toBeGreaterThan(condition!.confidence);
  });

  it('does not resolve "you" among three speakers', async () => {
    const unit = [turn('Ana', 'You broke the lamp.'), turn('Ben', 'Hi.'), turn('Cleo', 'Hi.')];
    expect((await extractor.extract(unit, options)).facts).toEqual([]);
  });

  it.each([
    { kind: 'image', description: 'books are on a shelf in a library with a ladder' },
    { kind: 'file', description: 'contract.pdf' },
  ])('reads no fact from a description of an attachment: $description', async (attachment) => {
    expect((await say('Look!', { attachments: [attachment] })).facts).toEqual([]);
  });
});

describe('entities', () => {
  async function names(
    content: string,
    known: (name: string) => boolean = () => false,
  ): Promise<Map<string, string>> {
    const unit = [turn('Robert', 'Hello!'), turn('Priya', content)];
    const { entities } = await extractor.extract(unit, { known });
    return new Map(entities.map(({ name, kind }) => [name, kind]));
  }

  it.each([
    ['I joined the LGBTQ support group.', 'LGBTQ support group', 'organisation'],
    ['I called the adoption agencies.', 'adoption agencies', 'organisation'],
    ['We adopted a Golden Retriever.', 'Golden Retriever', 'thing'],
    ['I moved to Lisbon.', 'Lisbon', 'place'],
    ['I took a trip last week to Rome.', 'Rome', 'place'],
    ['I said goodbye to Tomasz.', 'Tomasz', 'thing'],
    ['I got lost in Kyoto.', 'Kyoto', 'place'],
    ['We swam at Crater Lake.', 'Crater Lake', 'place'],
    ['I had lunch with Tomasz.', 'Tomasz', 'person'],
    ['My colleague Rob moved out.', 'Rob', 'person'],
    ['I just finished "The Left Hand of Darkness".', 'The Left Hand of Darkness', 'thing'],
    ['I studied at the University of Oslo.', 'University of Oslo', 'organisation'],
    ['I live in NYC.', 'NYC', 'place'],
    ['He trains in MMA.', 'MMA', 'thing'],
    ['My cousin Piotr sells kites.', 'Piotr', 'person'],
    ['I adopted a cat named Miso yesterday.', 'Miso', 'person'],
    ['I ran a marathon yesterday.', '9 June 2024', 'date'],
  ])('%s', async (content, name, kind) => {
    const found = await names(content);
    expect(found.get(name)).toBe(kind);
  });

  it.each([
    'Wow, thanks a lot!',
    'Today was a good day.',
    'What a great way to do things!',
    'Hey you, congrats!',
  ])('finds only the speakers in: %s', async (content) => {
    expect([...(await names(content)).keys()]).toEqual(['Robert', 'Priya']);
  });

  it('reads a capital at the start of a sentence as a name only with a reason', async () => {
    expect((await names('Pottery calms me. Dana and tea.')).has('Dana')).toBe(false);
    expect((await names('Pottery calms me. Dana was there.')).has('Dana')).toBe(true);
    expect((await names('I met Dana. Dana sells kites.')).has('Dana')).toBe(true);
    expect((await names('Dana sells kites.', (name) => name === 'Dana')).has('Dana')).toBe(true);
  });

  it('matches a speaker with a short name', async () => {
    const unit = [turn('Melanie', 'Hello!'), turn('Priya', 'Hi Mel, I met Mel at the pool.')];
    const { entities } = await extractor.extract(unit, options);
    expect(entities.find(({ name }) => name === 'Melanie')).toMatchObject({
      aliases: ['Mel'],
      turns: [0, 1],
    });
    expect(entities.some(({ name }) => name === 'Mel')).toBe(false);
  });

  it('merges singular and plural', async () => {
    const { entities } = await say('I bought a canoe. I love canoes.');
    expect(entities.filter(({ name }) => name.startsWith('canoe'))).toHaveLength(1);
  });

  it('reads names in other scripts without failing', async () => {
    const { entities } = await say('Вчера я видел Москву. 我昨天去了北京。 "Война и мир"');
    expect(entities.map(({ name }) => name)).toContain('Война и мир');
  });
});

describe('any input', () => {
  const PARTS = [
    ...[
      'I',
      'you',
      "I'm",
      'we',
      'went',
      'to',
      'Paris',
      'yesterday',
      '"',
      '-',
      ',',
      '.',
      '?',
      '!',
      '\n',
      '```',
      "'s",
    ],
    ...[
      'last',
      'week',
      'before',
      '9999',
      '31 February',
      '\ud83d',
      '\u0000',
      '😀',
      '我',
      'Ünï',
      'and',
      'the',
      'May',
      '5',
      ';',
    ],
  ];

  /** A small random generator, so that a failure can be reproduced. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  function randomUnit(seed: number): TurnToRead[] {
    const next = random(seed);
    return Array.from({ length: 1 + Math.floor(next() * 4) }, () => {
      const words = Array.from(
        { length: Math.floor(next() * 40) },
        () => PARTS[Math.floor(next() * PARTS.length)],
      );
      return turn(['Ann', 'Bo', '\ud800', ''][Math.floor(next() * 4)]!, words.join(next() < 0.2 ? '' : ' '));
    });
  }

  function check({ facts, entities }: Extraction, size: number): void {
    const names = new Set(entities.map(({ name }) => name));
    expect(names.size).toBe(entities.length);
    for (const { turns } of [...facts, ...entities]) {
      expect(turns.length).toBeGreaterThan(0);
      expect(turns.every((at) => at >= 0 && at < size)).toBe(true);
    }
    for (const fact of facts) {
      const { statement, participants, event, confidence } = fact;
      expect(statement.length).toBeLessThanOrEqual(MAX_STATEMENT_LENGTH);
      expect(statement).not.toMatch(/[\p{Cs}\p{Cc}]/u);
      expect(participants.length).toBeGreaterThan(0);
      expect(
        [...participants, fact.subject, fact.object].every((name) => name === null || names.has(name)),
      ).toBe(true);
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(event === null || (event.start < event.end && event.end <= Date.UTC(2200, 0))).toBe(true);
    }
  }

  it('can be loaded repeatedly', async () => {
    const all = Array.from({ length: 25 }, () =>
      new LocalExtractor().extract([turn('Ann', 'I ran.')], options),
    );
    expect(new Set((await Promise.all(all)).map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('never throws, cites existing turns, and does not depend on earlier input', async () => {
    const fresh = new LocalExtractor();
    for (let seed = 300; seed >= 1; seed -= 1) await fresh.extract(randomUnit(seed), options);
    for (let seed = 1; seed <= 300; seed += 1) {
      const unit = randomUnit(seed);
      const extraction = await extractor.extract(unit, options);
      check(extraction, unit.length);
      expect(await fresh.extract(unit, options)).toEqual(extraction);
    }
  });

  it.each([
    'I ',
    '"A ',
    'the week before ',
    "I'm ",
    '- ',
    'May 5 ',
    '(',
    '😀',
    '\ud800',
    'I went and ',
    '*_',
    '我',
  ])('reads a megabyte of %j in time', async (part) => {
    const unit = [turn('Ann', part.repeat(Math.ceil(1e6 / part.length)))];
    check(await extractor.extract(unit, options), 1);
  });

  it('stops when it is cancelled', async () => {
    const signal = AbortSignal.abort();
    const error = await extractor
      .extract([turn('Ann', 'I ran.')], { ...options, signal })
      .catch((reason) => reason);
    expect(CancelledError.isInstance(error)).toBe(true);
  });

  it('accepts an empty unit', async () => {
    expect(await extractor.extract([], options)).toEqual({ entities: [], facts: [] });
  });
});
