import { describe, expect, it } from 'vitest';
import { QuotationFinder } from '../../../src/edit/forget/quotations.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { memoryOver, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { graphOf, remember } from '../../engine/memory-fixture.ts';
import { expectWithout, idsOf, session } from './forget-lab.ts';

const SECRET = session('clinic', [
  'Ann: My knee operation at the harbour clinic went badly last spring.',
  'Ann: Rex limps.',
  'Ann: Thanks a lot, talk to you soon!',
]);
const OTHERS = session(
  'gossip',
  [
    'Bob: You told me: “my knee operation at the Harbour Clinic went badly”, poor you.',
    'Cleo: Somebody had an operation at the harbour clinic.',
    'Cleo: Thanks a lot, talk to you soon!',
  ],
  2,
);
const LATER = session(
  'later',
  [
    'Dan: Bob keeps telling everybody: knee operation at the harbour clinic went badly. And he sells tandems.',
  ],
  5,
);

async function filled() {
  const { store } = watchedStore();
  const { memory } = await memoryOver(store);
  await remember(memory, [...SECRET, ...OTHERS, ...LATER]);
  return memory;
}

describe('a preview', () => {
  it('lists remaining turns that quote removed ones, with speaker and time', async () => {
    const memory = await filled();
    const { alsoSaid, episodes } = await memory.previewForget({ session: 'clinic' });
    expect(episodes).toHaveLength(3);
    expect(alsoSaid.total).toBe(2);
    expect(alsoSaid.turns).toEqual([
      {
        id: (await idsOf(memory, 'poor you'))[0],
        session: 'gossip',
        speaker: 'Bob',
        at: '2023-05-10T10:00:00.000Z',
        text: 'You told me: “my knee operation at the Harbour Clinic went badly”, poor you.',
      },
      expect.objectContaining({ session: 'later', speaker: 'Dan' }),
    ]);
  });

  it('shows at most 20 of them, and counts all', async () => {
    const { store } = watchedStore();
    const { memory } = await memoryOver(store);
    const [said] = SECRET;
    const again = Array.from({ length: 23 }, (_, at) => `Bob: ${at}. ${said!.content}`);
    await memory.add([said!, ...session('again', again, 1)]);
    const { alsoSaid } = await memory.previewForget({ session: 'clinic' });
    expect(alsoSaid.total).toBe(23);
    expect(alsoSaid.turns).toHaveLength(20);
  });

  it('includes them on request, and shows the turns that quote those', async () => {
    const memory = await filled();
    await memory.add(session('echo', ['Eve: Did you hear? He sells tandems.', 'Eve: Oh well.'], 9));
    const preview = await memory.previewForget({ session: 'clinic' }, { quotations: true });
    expect(preview.episodes).toHaveLength(5);
    expect(preview.counts.episode).toBe(5);
    expect(preview.alsoSaid.total).toBe(0);
  });

  it('lists nothing if everything is removed, or no turn is', async () => {
    const memory = await filled();
    const nothing = { total: 0, turns: [] };
    expect((await memory.previewForget({ all: true })).alsoSaid).toEqual(nothing);
    expect((await memory.previewForget({ entity: 'Ann' })).alsoSaid).toEqual(nothing);
  });
});

describe('forgetting', () => {
  it('leaves quotations, and counts them', async () => {
    const memory = await filled();
    expect(await memory.forget({ session: 'clinic' })).toMatchObject({
      alsoSaid: 2,
      removed: { episode: 3 },
    });
    expect(await idsOf(memory, 'poor you')).toHaveLength(1);
  });

  it('removes them on request: no word of them remains', async () => {
    const memory = await filled();
    const preview = await memory.previewForget({ session: 'clinic' }, { quotations: true });
    const report = await memory.forget({ session: 'clinic' }, { quotations: true });
    expect(report).toMatchObject({ target: 'session', alsoSaid: 0, proof: { clean: true }, tombstones: 5 });
    expect(report.removed).toEqual(preview.counts);
    await memory.flush();
    const graph = await graphOf(memory);
    expect(graph.nodes.episode.map(({ content }) => content)).toEqual([
      'Somebody had an operation at the harbour clinic.',
      'Thanks a lot, talk to you soon!',
    ]);
    expectWithout(graph, ['knee', 'badly', 'tandems'], { waits: true });
  });

  it('rejects an invalid choice, and forgets nothing', async () => {
    const memory = await filled();
    const forgetting = memory.forget({ session: 'clinic' }, { quotations: 'yes' as never });
    await expect(forgetting).rejects.toBeInstanceOf(InvalidInputError);
    expect(await idsOf(memory, 'knee')).toHaveLength(3);
  });
});

describe('the definition of a quotation', () => {
  const asks = (said: string, other: string) => {
    const texts = new QuotationFinder();
    texts.add(said);
    return texts.foundIn(other) !== null;
  };

  it.each([
    ['a sentence, whoever says it', 'I live in Ghent.', 'Ann said "I live in Ghent", I think.'],
    [
      'other case, signs and quotation marks',
      "My uncle's horse won Paris!",
      '– MY UNCLE’S HORSE, won «Paris»',
    ],
    [
      'a part of a long sentence',
      'We met Quentin at the burnt mill near Bruges before dawn.',
      'At the burnt mill near Bruges, hm',
    ],
    [
      'a long sentence with little in it',
      'Yes I was there with him and with her at the ocarina concert.',
      'Yes, I was there with him and with her at the ocarina concert',
    ],
    ['Chinese', '我昨天在根特的诊所见到了医生和护士。', '她说：“我昨天在根特的诊所见到了医生和护士”吗？'],
    [
      'accents composed otherwise',
      'Le café de José ferme à minuit.',
      'Le cafe\u0301 de Jose\u0301 ferme a\u0300 minuit',
    ],
  ])('is %s', (_, said, other) => expect(asks(said, other)).toBe(true));

  it.each([
    ['a courtesy', 'Thanks a lot, talk to you soon!', 'Thanks a lot, talk to you soon!'],
    ['"ok"', 'Ok.', 'Ok.'],
    ['two words', 'Rex limps.', 'Rex limps.'],
    ['the same words in another order', 'Rex bit the postman in Ghent.', 'The postman bit Rex, in Ghent.'],
    [
      'a part that is too short',
      'We met Quentin at the old mill near Bruges.',
      'There is an old mill near Bruges.',
    ],
    [
      'a run of words that say little',
      'I would have been so very happy to see Rex there.',
      'I would have been so very happy to see that.',
    ],
  ])('is not %s', (_, said, other) => expect(asks(said, other)).toBe(false));

  it('is found in 100,000 sentences, in time proportional to the text', () => {
    const texts = new QuotationFinder();
    texts.add(Array.from({ length: 100_000 }, (_, at) => `ocarina zither ${at % 7} horse.`).join(' '));
    expect(texts.foundIn('ocarina zither eight horse. '.repeat(100_000))).toBeNull();
  });
});
