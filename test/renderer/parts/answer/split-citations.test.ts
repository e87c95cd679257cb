import { describe, expect, it } from 'vitest';
import { rehypeCitations, splitCitations } from '../../../../renderer/parts/answer/split-citations.ts';

describe('splitCitations', () => {
  it('finds single numbers and lists of them', () => {
    expect(splitCitations('Ann moved [1], and [2, 3] too.')).toEqual([
      { text: 'Ann moved ' },
      { numbers: [1] },
      { text: ', and ' },
      { numbers: [2, 3] },
      { text: ' too.' },
    ]);
  });

  it('takes neighbours apart', () => {
    expect(splitCitations('[1][2]')).toEqual([{ numbers: [1] }, { numbers: [2] }]);
  });

  it('leaves other brackets alone', () => {
    for (const words of ['[a]', '[]', '[1a]', '[1', '[1234]', 'list[i]', '[-1]'])
      expect(splitCitations(words)).toEqual([{ text: words }]);
  });

  it('is empty for an empty text', () => {
    expect(splitCitations('')).toEqual([]);
  });
});

describe('rehypeCitations', () => {
  const element = (tagName: string, value: string, properties = {}) => ({
    type: 'element',
    tagName,
    properties,
    children: [{ type: 'text', value }],
  });

  it('marks citations in text', () => {
    const tree = { type: 'root', children: [element('p', 'So it is [1, 2].')] };
    rehypeCitations()(tree);
    expect(tree.children[0]?.children).toEqual([
      { type: 'text', value: 'So it is ' },
      { type: 'element', tagName: 'cite-mark', properties: { numbers: '1 2' }, children: [] },
      { type: 'text', value: '.' },
    ]);
  });

  it.each(['code', 'pre', 'a'])('leaves <%s> alone', (tagName) => {
    const tree = { type: 'root', children: [element(tagName, 'a[1]')] };
    const before = structuredClone(tree);
    rehypeCitations()(tree);
    expect(tree).toEqual(before);
  });

  it('leaves formulas alone', () => {
    const tree = { type: 'root', children: [element('span', 'x[1]', { className: ['katex'] })] };
    const before = structuredClone(tree);
    rehypeCitations()(tree);
    expect(tree).toEqual(before);
  });
});
