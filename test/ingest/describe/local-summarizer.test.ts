import { describe, expect, it } from 'vitest';
import { MAX_KEYWORDS, MAX_SEGMENT_SUMMARY } from '../../../src/ingest/describe/defaults.ts';
import { LocalSummarizer } from '../../../src/ingest/describe/local-summarizer.ts';
import type { SegmentSummary } from '../../../src/ingest/describe/summarizer.ts';
import type { Extraction, TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { LocalExtractor } from '../../../src/ingest/extract/local/local-extractor.ts';
import { dialogue, SAID_AT, turn } from '../turns.ts';

const NOTHING_READ: Extraction = { entities: [], facts: [] };
const extractor = new LocalExtractor();

async function summarize(turns: readonly TurnToRead[], extraction?: Extraction): Promise<SegmentSummary> {
  const read = extraction ?? (await extractor.extract(turns, { known: () => false }));
  return new LocalSummarizer().summarize({ turns, extraction: read });
}

const STUDIO = dialogue(
  'Jon: Hey Gina! I just rented a dance studio in Lisbon.',
  'Gina: Wow, congrats! What will you teach at the dance studio?',
  'Jon: I teach salsa to beginners. My dance studio opens next week.',
  'Gina: Thanks for telling me, Jon!',
);

describe('keywords', () => {
  it('are sorted by frequency', async () => {
    const { keywords } = await summarize(STUDIO);
    expect(keywords[0]).toBe('dance studio');
    expect(keywords).toContain('Lisbon');
  });

  it('are words as written, each thing once', async () => {
    const { keywords } = await summarize(STUDIO);
    expect(keywords).not.toContain('studio');
    expect(new Set(keywords).size).toBe(keywords.length);
  });

  it('do not include speakers who are only addressed', async () => {
    const { keywords } = await summarize(STUDIO);
    expect(keywords).not.toContain('Jon');
    expect(keywords).not.toContain('Gina');
  });

  it('include a speaker whom others talk about', async () => {
    const { keywords } = await summarize(
      dialogue('Ann: Bob got married to Cleo in Rome!', 'Cleo: Thanks, Ann!', 'Bob: We loved Rome.'),
    );
    expect(keywords).toContain('Bob');
    expect(keywords).not.toContain('Ann');
  });

  it('are at most eight, fewer for few turns', async () => {
    const rich = 'Ann: I own a cello, a violin, a trumpet, a harp, a drum, a banjo, a flute and an oboe.';
    expect((await summarize(dialogue(rich))).keywords.length).toBeLessThanOrEqual(4);
    const lines = 'canoe kayak tent stove lantern compass hatchet blanket backpack tripod'.split(' ');
    const { keywords } = await summarize(
      dialogue(...lines.map((word) => `Ann: I sold my ${word} to Peter.`)),
    );
    expect(keywords).toHaveLength(MAX_KEYWORDS);
    expect(keywords[0]).toBe('Peter');
  });

  it('are repeated words if no facts were read', async () => {
    const turns = dialogue('Ann: How was the marathon?', 'Bob: A marathon is long.', 'Ann: Bye!');
    expect((await summarize(turns, NOTHING_READ)).keywords).toEqual(['marathon']);
  });

  it('come from captions if there is no other text', async () => {
    const attachments = [{ kind: 'image', description: 'a photo of a turtle on a log' }];
    const { keywords } = await summarize([turn('Ann', 'Look!', { attachments })], NOTHING_READ);
    expect(keywords).toContain('turtle');
  });
});

describe('a summary', () => {
  it('states who talked about what and when, and the facts', async () => {
    expect((await summarize(STUDIO)).summary).toBe(
      "Jon and Gina talked about a dance studio, Lisbon and beginners on 10 June 2024. Jon's dance studio opens next week (week of 17 June 2024). Jon teaches salsa to beginners.",
    );
  });

  it('names the owner of a thing', async () => {
    const { summary } = await summarize(dialogue('Ann: I sold my old canoe.', 'Bob: Who bought your canoe?'));
    expect(summary).toMatch(/^Ann and Bob talked about Ann's canoe on /);
  });

  it.each([
    ['I saw the Eiffel Tower.', 'the Eiffel Tower'],
    ['I read a Harry Potter book.', 'a Harry Potter book'],
    ['I bought an umbrella.', 'an umbrella'],
    ['I bought a unicycle.', 'a unicycle'],
    ['I love the Nike shoes.', 'the Nike shoes'],
    ['I joined the Rotary.', 'Rotary'],
    ['I need a little moonlight.', 'moonlight'],
    ['I joined a LGBTQ choir.', 'an LGBTQ choir'],
    ['I visited a UN office.', 'a UN office'],
  ])('uses the article from the text: %s', async (content, phrase) => {
    expect((await summarize([turn('Ann', content)])).summary).toContain(` about ${phrase} on `);
  });

  it('keeps the order of the statements', async () => {
    const { summary } = await summarize(
      dialogue('Ann: I play chess.', 'Bob: I won a chess tournament in Oslo yesterday.'),
    );
    expect(summary.indexOf('Ann plays chess')).toBeLessThan(summary.indexOf('Bob won'));
  });

  it('calls courtesies small talk', async () => {
    expect(await summarize(dialogue('Ann: Hi Bob! How are you?', 'Bob: Great, thanks! Bye!'))).toEqual({
      keywords: [],
      summary: 'Ann and Bob made small talk on 10 June 2024.',
    });
  });

  it('quotes turns if no facts were read, but no question and no courtesy', async () => {
    const turns = dialogue('Ana: ¡Hola! Ayer visité Sevilla con "mi" hermana.', 'Luis: ¿Fuiste en tren?');
    expect((await summarize(turns, NOTHING_READ)).summary).toContain(
      `Ana said: "Ayer visité Sevilla con 'mi' hermana."`,
    );
  });

  it('names several days, and a single speaker', async () => {
    const later = turn('Ann', 'I sold my piano.', { validAt: SAID_AT + 2 * 86_400_000 });
    expect((await summarize([turn('Ann', 'I bought a piano.'), later])).summary).toMatch(
      /^Ann spoke about .*piano.* on 10–12 June 2024\./,
    );
  });

  it('names at most four speakers', async () => {
    const turns = dialogue('A: I ski in Davos.', 'B: I ski.', 'C: I ski.', 'D: I ski.', 'E: I ski.');
    expect((await summarize(turns)).summary).toMatch(/^A, B, C and others talked/);
  });

  it('uses the role of a nameless speaker', async () => {
    const turns = [turn('', 'I adopted a greyhound.'), turn('', 'Lovely!', { role: 'assistant' })];
    expect((await summarize(turns)).summary).toMatch(/^User and assistant talked about a greyhound/);
  });

  it('has at most three sentences of its own and a bounded length, for every input', async () => {
    const endless = dialogue(
      `Ann: I bought ${'very '.repeat(500)}old books.`,
      `Bob: ${'word '.repeat(9_000)}`,
    );
    const { summary } = await summarize(endless);
    expect(summary.length).toBeLessThanOrEqual(MAX_SEGMENT_SUMMARY);
    expect(summary).toContain('…');
  });

  it('is deterministic, and does not modify the turns', async () => {
    const copy = structuredClone(STUDIO);
    expect(await summarize(STUDIO)).toEqual(await summarize(STUDIO));
    expect(STUDIO).toEqual(copy);
  });

  it.each(['', '   ', '😀', '\ud83d', '```js\ncode\n```', '((((', '$&'])(
    'is written for %j too',
    async (content) => {
      const { summary } = await summarize([turn('A|n.n(', content)]);
      expect(summary).toMatch(/^A\|n\.n\( .* on 10 June 2024\./);
    },
  );

  it('stops when it is cancelled', async () => {
    const segment = { turns: STUDIO, extraction: NOTHING_READ };
    const options = { signal: AbortSignal.abort() };
    await expect(new LocalSummarizer().summarize(segment, options)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
