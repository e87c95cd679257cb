import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeNounTaxonomy } from '../../../scripts/static-model/noun-taxonomy-file.ts';
import type { Synset } from '../../../scripts/static-model/wordnet.ts';
import {
  NOUN_TAXONOMY_FILE,
  type NounSense,
  readNounTaxonomy,
} from '../../../src/inference/taxonomy/noun-taxonomy.ts';
import { packageFile } from '../../../src/util/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'mnemis-taxonomy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: Uint8Array): string {
  const file = join(folder, 'nouns.gz');
  writeFileSync(file, bytes);
  return file;
}

const taxonomy = await readNounTaxonomy();

function kindsOf(noun: string): Set<string> {
  const kinds = new Set<string>();
  const visit = (sense: NounSense) => {
    for (const parent of taxonomy.parentsOf(sense)) {
      kinds.add(taxonomy.namesOf(parent)[0]!);
      visit(parent);
    }
  };
  const [usual] = taxonomy.sensesOf(noun);
  if (usual !== undefined) visit(usual);
  return kinds;
}

describe('the bundled noun taxonomy', () => {
  it('is at most 4 MB', () => {
    expect(statSync(packageFile(NOUN_TAXONOMY_FILE)!).size).toBeLessThanOrEqual(4_000_000);
  });

  it.each([
    ['dog', ['canine', 'animal', 'entity']],
    ['cello', ['musical instrument', 'artifact']],
    ['birthday party', ['social event', 'event']],
    ['Paris', ['national capital', 'location']],
    ['DOG', ['animal']],
    ['sister', ['relative', 'person']],
  ])('knows the kinds of “%s”', (noun, kinds) => {
    expect([...kindsOf(noun)]).toEqual(expect.arrayContaining(kinds));
  });

  it('orders senses by frequency, and has no invented nouns', () => {
    const [first, second] = taxonomy.sensesOf('bank').map((sense) => taxonomy.namesOf(sense));
    expect(first).toEqual(['bank']);
    expect(second).toContain('banking company');
    expect(taxonomy.sensesOf('zaneblik')).toEqual([]);
    expect(taxonomy.namesOf(1e9)).toEqual([]);
  });

  it('leads from every sense up to “entity”, without cycles', () => {
    let sense = 0;
    const roots = new Set<string>();
    for (; taxonomy.namesOf(sense).length > 0; sense++) {
      const parents = taxonomy.parentsOf(sense);
      if (parents.length === 0) roots.add(taxonomy.namesOf(sense)[0]!);
      expect(parents.every((parent) => parent < sense)).toBe(true);
    }
    expect(sense).toBeGreaterThan(80_000);
    expect([...roots]).toEqual(['entity']);
  });
});

describe('readNounTaxonomy', () => {
  const noun = (id: string, names: [string, number][], parents: string[]): Synset => ({
    id,
    partOfSpeech: 'noun',
    topic: 3,
    lemmas: names.map(([text, sense]) => ({ text, sense, tagged: 0 })),
    pointers: parents.map((target) => ({ sign: '@', target })),
    definitions: [],
    examples: [],
  });

  it('reads a file that was written, parents before children', async () => {
    const bytes = encodeNounTaxonomy([
      noun(
        'c',
        [
          ['pet dog', 1],
          ['Rex', 2],
        ],
        ['b', 'a'],
      ),
      noun('b', [['dog', 1]], ['a']),
      noun('a', [['thing', 1]], []),
      noun('d', [['rex', 1]], ['a']),
      { ...noun('v', [['run', 1]], []), partOfSpeech: 'verb' },
    ]);
    const read = await readNounTaxonomy(fileOf(bytes));
    const [pet] = read.sensesOf('Pet Dog');
    expect(read.namesOf(pet!)).toEqual(['pet dog', 'Rex']);
    expect(read.parentsOf(pet!).map((parent) => read.namesOf(parent)[0])).toEqual(['dog', 'thing']);
    expect(read.sensesOf('rex').map((sense) => read.namesOf(sense)[0])).toEqual(['rex', 'pet dog']);
    expect(read.sensesOf('run')).toEqual([]);
  });

  it.each<[string, Uint8Array]>([
    ['not packed', Buffer.from('mnemis noun taxonomy 1\n')],
    ['another text', gzipSync('hello\nworld')],
    ['without parents', gzipSync('mnemis noun taxonomy 1\nthing')],
    ['with a parent after its child', gzipSync('mnemis noun taxonomy 1\nthing\t-1\n')],
    ['with a parent that is no number', gzipSync('mnemis noun taxonomy 1\nthing\tx\n')],
  ])('rejects a file that is %s', async (_, bytes) => {
    await expect(readNounTaxonomy(fileOf(bytes))).rejects.toMatchObject({ code: 'bundled-file' });
  });
});
