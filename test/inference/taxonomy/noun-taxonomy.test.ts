import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeNounTaxonomy } from '../../../scripts/static-model/noun-taxonomy-file.ts';
import type { Synset } from '../../../scripts/static-model/wordnet.ts';
import {
  NOUN_TAXONOMY_FILE,
  type NounSense,
  readNounTaxonomy,
} from '../../../src/inference/taxonomy/noun-taxonomy.ts';
import { packageFile } from '../../../src/util/files.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

function fileOf(bytes: Uint8Array): string {
  const file = join(folder, 'nouns.bin');
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

  it('leads from every sense up to “entity”, without cycles, with the answers that were released', () => {
    let sense = 0;
    const roots = new Set<string>();
    const answers = createHash('sha256');
    const table = taxonomy.parentTable;
    for (; taxonomy.namesOf(sense).length > 0; sense++) {
      const [names, parents] = [taxonomy.namesOf(sense), taxonomy.parentsOf(sense)];
      if (parents.length === 0) roots.add(names[0]!);
      if (parents.some((parent) => parent >= sense)) expect.fail(`${names[0]} precedes a parent`);
      if (table.parents.subarray(table.starts[sense], table.starts[sense + 1]).join() !== parents.join())
        expect.fail(`${names[0]} has other parents in the table`);
      answers.update(JSON.stringify([names, parents, names.map((name) => taxonomy.sensesOf(name))]));
    }
    expect(sense).toBe(82_192);
    expect([...roots]).toEqual(['entity']);
    expect(answers.digest('hex')).toBe('07935ee89cddcd835b1be3a0108f2e0cf1c12cfd7096296e03f1a2d986c9f6ce');
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

  const small = encodeNounTaxonomy([noun('b', [['dog', 1]], ['a']), noun('a', [['thing', 1]], [])]);
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(small);
    bytes.writeUInt8(value, at);
    return bytes;
  };

  it.each<[string, Uint8Array]>([
    ['empty', Buffer.alloc(0)],
    ['another text', Buffer.from('mnemis noun taxonomy 1\nthing\t')],
    ['cut off', small.subarray(0, -1)],
    ['too long', Buffer.concat([small, Buffer.alloc(1)])],
    ['with a name that it lacks', changed(24, 2)],
    ['with a parent after its child', changed(32, 1)],
    ['with lists that are longer than it', changed(small.length - 9, 2)],
  ])('rejects a file that is %s', async (_, bytes) => {
    await expect(readNounTaxonomy(fileOf(small))).resolves.toBeDefined();
    await expect(readNounTaxonomy(fileOf(bytes))).rejects.toMatchObject({ code: 'bundled-file' });
  });
});
