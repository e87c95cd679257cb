import { describe, expect, it } from 'vitest';
import type { Extraction, TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { LocalExtractor } from '../../../src/ingest/extract/local/local-extractor.ts';
import { LocalSegmentReader, MAX_DESCRIPTION } from '../../../src/ingest/extract/local-segment-reader.ts';
import { GARDEN, PUPPY, segmentReaderContract } from '../segment-reader-contract.ts';
import { dialogue } from '../turns.ts';

segmentReaderContract('LocalSegmentReader', () => new LocalSegmentReader());
segmentReaderContract('LocalSegmentReader without gate', () => new LocalSegmentReader({ gate: false }));
segmentReaderContract('LocalSegmentReader with a careless extractor', () => careless(roughen));

/** A reader whose extractor returns Mnemis's own result, modified by `change`. */
function careless(change: (read: Extraction) => Extraction): LocalSegmentReader {
  const own = new LocalExtractor();
  return new LocalSegmentReader({
    extractor: { extract: async (unit, options) => change(await own.extract(unit, options)) },
  });
}

const NOWHERE = [99, -1, 1.5, Number.NaN];

/** The whole result, with invalid positions and names added. */
function roughen({ entities, facts }: Extraction): Extraction {
  const rough = (turns: readonly number[]) => [...turns, ...NOWHERE, ...turns];
  return {
    entities: [
      ...entities.map((each) => ({ ...each, turns: rough(each.turns), aliases: [...each.aliases, ' '] })),
      ...['', ' \n'].map((name) => ({ name, kind: 'thing' as const, aliases: [], turns: [0] })),
      { name: 'Atlantis', kind: 'place', aliases: [], turns: NOWHERE },
    ],
    facts: [
      ...facts.map((fact) => ({
        ...fact,
        subject: fact.subject ?? '',
        object: fact.object ?? ' ',
        participants: ['', ...fact.participants, ' '],
        turns: rough(fact.turns),
      })),
      ...facts.map((fact) => ({ ...fact, statement: `${fact.statement} in Atlantis`, turns: NOWHERE })),
      ...facts.map((fact) => ({ ...fact, statement: ' ' })),
    ],
  };
}

async function read(turns: readonly TurnToRead[], options?: { gate: boolean }) {
  const [reading] = await new LocalSegmentReader(options).read([turns], { known: () => false });
  return { ...reading!, entity: (name: string) => reading!.extraction.entities.find((e) => e.name === name) };
}

describe('LocalSegmentReader', () => {
  it('reads the kept turns, at their positions in the segment', async () => {
    const { judgements, extraction, verified } = await read(PUPPY);
    expect(judgements).toEqual(['kept', 'dropped', 'kept']);
    const cited = extraction.facts.map(({ statement, turns }) => [statement, turns]);
    expect(cited).toContainEqual(['Ann works at Equinor', [2]]);
    expect(verified).toEqual([true, false, true]);
  });

  it('knows the speaker of a turn that the gate dropped', async () => {
    const { entity } = await read(PUPPY);
    expect(entity('Bob')).toMatchObject({ kind: 'person', turns: [1], description: '', aliases: [] });
    expect(entity('Ann')).toMatchObject({ turns: [0, 2] });
  });

  it('keeps all turns without the gate', async () => {
    expect((await read(PUPPY, { gate: false })).judgements).toEqual(['kept', 'kept', 'kept']);
  });

  it('describes entities by the statements about them, at most 300 characters', async () => {
    const { entity } = await read(PUPPY);
    expect(entity('Equinor')!.description).toContain('Ann works at Equinor');
    const long = Array.from(
      { length: 12 },
      (_, at) =>
        `Ann: I visited ${['Bergen', 'Lisbon', 'Kyoto', 'Quito'][at % 4]} with my cousin number ${at} and a very big orange suitcase.`,
    );
    const talkative = await read(dialogue(...long, 'Bob: I am at work.'));
    const { length } = talkative.entity('Ann')!.description;
    expect(length).toBeGreaterThan(MAX_DESCRIPTION / 2);
    expect(length).toBeLessThanOrEqual(MAX_DESCRIPTION);
    for (const { tags } of talkative.extraction.entities) expect(tags.length).toBeLessThanOrEqual(5);
  });

  it('reads from a faulty extractor only statements about existing turns and names', async () => {
    const segments = [PUPPY, GARDEN];
    const readings = await careless(roughen).read(segments, { known: () => false });
    expect(readings).toEqual(await new LocalSegmentReader().read(segments, { known: () => false }));
    expect(readings.flatMap(({ extraction }) => extraction.facts).length).toBeGreaterThan(2);
  });

  it('treats names from one segment as known in the next', async () => {
    const told = dialogue('Ann: I bought a violin in Bergen.', 'Bob: A violin?');
    const asked = dialogue('Bob: Where is the violin?', 'Bob: In the other room?');
    const names = async (segments: readonly (readonly TurnToRead[])[]) =>
      (await new LocalSegmentReader().read(segments, { known: () => false }))
        .at(-1)!
        .extraction.entities.map(({ name }) => name);
    expect(await names([asked])).not.toContain('violin');
    expect(await names([told, asked])).toContain('violin');
  });
});
