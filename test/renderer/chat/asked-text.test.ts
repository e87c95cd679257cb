import { describe, expect, it } from 'vitest';
import { placeOfLink } from '../../../main/desktop/deep-link.ts';
import { askedText } from '../../../renderer/chat/asked-text.ts';

describe('askedText', () => {
  it.each([
    ['#/?ask=Where%20is%20Ann%3F', 'Where is Ann?'],
    ['#?ask=a%26b%3Dc%23d', 'a&b=c#d'],
    ['#/?other=1&ask=two%0Alines', 'two\nlines'],
    ['#/?ask=100%25', '100%'],
    ['#/?ask=%20', null],
    ['#/?ask=', null],
    ['#/', null],
    ['', null],
    ['#/c/1?ask=x', null],
    ['#/memory/?ask=x', null],
  ])('%s', (hash, wanted) => expect(askedText(hash)).toBe(wanted));

  it('takes no more than a link may bring', () => {
    expect(askedText(`#/?ask=${'a'.repeat(5_000)}`)).toHaveLength(2_000);
  });

  it('reads what a link into the desktop app becomes', () => {
    const words = 'Is 1 + 1 = 2 & “so on”? 100%';
    const place = placeOfLink(`mnemis://ask?q=${encodeURIComponent(words)}`);
    expect(askedText(`#${place}`)).toBe(words);
  });
});
