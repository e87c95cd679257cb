import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextPatterns } from '../../../src/edit/proof/text-patterns.ts';

const found = (texts: readonly string[], haystack: string) =>
  [...new TextPatterns(texts).foundIn(haystack)].sort();

describe('a search for several texts', () => {
  it('finds the same texts in a string as one search per text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '猫'), minLength: 12, maxLength: 24 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.array(text, { maxLength: 4 }), (texts, parts) => {
        const haystack = [...parts, ...texts.slice(0, 2)].join('b');
        const one = texts.flatMap((each, at) => (haystack.includes(each) ? [at] : []));
        expect(found(texts, haystack)).toEqual(one);
      }),
    );
  });

  it('finds short texts as whole words only', () => {
    expect(found(['Ann', 'Rex', 'ok'], 'planning the annexe, Reximus, look')).toEqual([]);
    expect(found(['Ann', 'Rex', 'ok'], 'Ann’s T-Rex: ok')).toEqual([0, 1, 2]);
    expect(found(['Annabel'], 'Annabella and Annabel')).toEqual([0]);
  });

  it('needs no spaces around them in a script without spaces', () => {
    expect(found(['黒猫', '犬'], 'あの黒猫が好き')).toEqual([0]);
  });
});
