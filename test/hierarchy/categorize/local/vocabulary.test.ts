import { describe, expect, it } from 'vitest';
import { otherOf } from '../../../../src/hierarchy/categorize/local/drafts.ts';
import {
  readVocabulary,
  topOf,
  VOCABULARY_LINES,
} from '../../../../src/hierarchy/categorize/local/vocabulary.ts';
import { categoryKey, categoryNames } from '../../../../src/hierarchy/category-name.ts';
import { readNounTaxonomy } from '../../../../src/inference/taxonomy/noun-taxonomy.ts';

const taxonomy = await readNounTaxonomy();
const vocabulary = readVocabulary(taxonomy);

describe('the vocabulary of categories', () => {
  it('has 5 to 20 broadest categories', () => {
    const tops = vocabulary.labels.filter(({ parent }) => parent === null);
    expect(tops.length).toBeGreaterThanOrEqual(5);
    expect(tops.length).toBeLessThanOrEqual(20);
    expect(tops.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['People', 'Places', 'Activities', 'Things', 'Ideas', 'Events', 'Time']),
    );
  });

  it('has no shown category below one that is not', () => {
    const lost = vocabulary.labels.filter(
      ({ isShown, lineage }) => isShown && lineage.some((above) => !above.isShown),
    );
    expect(lost.map(({ name }) => name)).toEqual([]);
    expect(vocabulary.named('Ideas')?.isShown).toBe(false);
  });

  it('has valid, distinct names, also for remainders', () => {
    const keys = vocabulary.labels.map(({ name }) => categoryKey(name));
    expect(new Set(keys).size).toBe(keys.length);
    for (const { name } of vocabulary.labels) {
      expect(categoryNames(name)).toEqual([name]);
      expect(categoryNames(otherOf(name))).toEqual([otherOf(name)]);
    }
  });

  it('refers to senses that the taxonomy has', () => {
    const missing = VOCABULARY_LINES.flatMap((line) => {
      const meanings = line.split(':')[1]?.split('=')[0] ?? '';
      return meanings
        .split(',')
        .map((meaning) => meaning.trim())
        .filter((meaning) => meaning !== '')
        .filter((meaning) => {
          const alone = readVocabulary(taxonomy, [`Thing: ${meaning}`]);
          return !isAnchored(alone, meaning);
        });
    });
    expect(missing).toEqual([]);
  });

  it('reads parents from the indentation', () => {
    const lines = ['Nature: organism', '  Animals: animal = wildlife', '    Pets: pet', 'Time:'];
    const read = readVocabulary(taxonomy, lines);
    const pets = read.named('pet')!;
    expect(pets.lineage.map(({ name }) => name)).toEqual(['Pets', 'Animals', 'Nature']);
    expect(topOf(pets).name).toBe('Nature');
    expect(read.named('Time')!.parent).toBeNull();
    expect(read.ofWord('wildlife').map(({ name }) => name)).toEqual(['Animals']);
    expect(read.anchoredAt(taxonomy.sensesOf('animal')[0]!).map(({ name }) => name)).toEqual(['Animals']);
  });
});

function isAnchored(alone: ReturnType<typeof readVocabulary>, meaning: string): boolean {
  const noun = meaning.replace(/[#<].*$/, '');
  return taxonomy.sensesOf(noun).some((sense) => alone.anchoredAt(sense).length > 0);
}
