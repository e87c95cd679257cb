import { describe, expect, it } from 'vitest';
import { readNames } from '../../../src/retrieve/traversal/match-entities.ts';
import { entityNameKey } from '../../../src/util/tidy.ts';

/** One entity per name; the id is the name. */
function bookOf(...names: readonly string[]) {
  return {
    idsOfName: (key: string) => names.filter((name) => entityNameKey(name) === key),
    idsOfStart: (key: string) => names.filter((name) => entityNameKey(name).slice(0, 3) === key.slice(0, 3)),
  };
}
const limit = { check() {} };
const read = (text: string, names: readonly string[], longestName = 12) =>
  readNames(text, bookOf(...names), { longestName, limit });
const named = (text: string, ...names: readonly string[]) => read(text, names).named;

describe('names of entities in a question', () => {
  it('are found in any case and accents, longest first, without overlap', () => {
    const names = ['Rome', 'Museum of Rome', 'José', 'Museum'];
    expect(named('Did jose see the MUSEUM of rome?', ...names)).toEqual(['Museum of Rome', 'José']);
    expect(named('A museum in Rome', ...names).toSorted()).toEqual(['Museum', 'Rome']);
  });

  it('may contain or precede an apostrophe or a full stop', () => {
    expect(named('Who edited Arthur’s Magazine?', "Arthur's Magazine")).toEqual(["Arthur's Magazine"]);
    expect(named("What is Ann's dog called?", 'Ann')).toEqual(['Ann']);
    expect(named('Who lives in Washington D.C. now?', 'Washington D.C.')).toEqual(['Washington D.C.']);
  });

  it('do not include stop words alone', () => {
    expect(named('Who is it?', 'it', 'who')).toEqual([]);
    expect(named('Did the Who play?', 'The Who')).toEqual(['The Who']);
  });

  it('may be in scripts without spaces, down to one character', () => {
    expect(named('小明住在哪里？', '小明')).toEqual(['小明']);
    expect(named('李在北京大学学习吗', '李', '北京', '北京大学')).toEqual(['北京大学', '李']);
    expect(named('지수는 어디에 살아요?', '지수')).toEqual(['지수']);
    expect(named('田中さんは東京に住んでいますか', '田中', '東京')).toEqual(['田中', '東京']);
    expect(named('สมชายอยู่ที่ไหน', 'สมชาย')).toEqual(['สมชาย']);
  });

  it('may be in other scripts with spaces', () => {
    expect(named('Где живёт Ольга Петрова?', 'ольга петрова', 'Ольга')).toEqual(['ольга петрова']);
    expect(named('أين تعيش فاطمة؟', 'فاطمة')).toEqual(['فاطمة']);
    expect(named('Πού μένει ο Γιώργος;', 'Γιώργος')).toEqual(['Γιώργος']);
  });

  it('may belong to several entities', () => {
    const two = { idsOfName: (key: string) => (key === 'alex' ? [1, 2] : []), idsOfStart: () => [1] };
    expect(readNames('Where is Alex?', two, { longestName: 4, limit }).named).toEqual([1, 2]);
  });

  it('are at most as long as the limit', () => {
    expect(read('Lord of the Rings', ['Lord of the Rings'], 3).named).toEqual([]);
    expect(read('Lord of the Rings', ['Lord of the Rings'], 4).named).toEqual(['Lord of the Rings']);
  });
});

describe('unknown capitalised names', () => {
  const unknown = (text: string, ...names: readonly string[]) => read(text, names).unknown;

  it('are runs of capitalised words, with small words inside', () => {
    expect(unknown('Which magazine is older, Arthur’s Magazine or First for Women?')).toEqual([
      'Arthur’s Magazine',
      'First for Women',
    ]);
    expect(unknown('Who played in the Lord of the Rings and in Blade Runner 2049?')).toEqual([
      'Lord of the Rings',
      'Blade Runner 2049',
    ]);
  });

  it('are not the first word, nor a known name', () => {
    expect(unknown('Cities that Ann saw', 'Ann')).toEqual([]);
    expect(unknown('Is Ann in Oslo?', 'Ann')).toEqual(['Oslo']);
    expect(unknown('where is it?')).toEqual([]);
  });
});

describe('a very long question', () => {
  it.each([
    ['of words', 'Where did the long story of Nora end? '],
    ['of characters', '小明昨天晚上和诺拉一起去了北京大学的图书馆'],
  ])('%s is read to its end', (_, part) => {
    const text = `${part.repeat(Math.ceil(10_000 / part.length))} Zoë 王芳`;
    expect(text.length).toBeGreaterThan(10_000);
    expect(named(text, 'Zoe', '王芳', 'Xu').toSorted()).toEqual(['Zoe', '王芳']);
  });

  it('checks the limit', () => {
    const stopping = {
      check() {
        throw new Error('stopped');
      },
    };
    const book = bookOf('Ann');
    expect(() => readNames('Ann', book, { longestName: 3, limit: stopping })).toThrow('stopped');
  });
});
