import { describe, expect, it } from 'vitest';
import { hasWords, markedParts, markWords, withoutMarkup } from '../../../renderer/kit/marked-parts.ts';

const shown = (text: string) =>
  markedParts(text)
    .map(({ part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('');

describe('marked text', () => {
  it('keeps everything but the marks', () => {
    expect(shown('a \u0001dog\u0002 and \u0001Dogs\u0002')).toBe('a [dog] and [Dogs]');
    expect(shown('<b>\u0001x\u0002</b>')).toBe('<b>[x]</b>');
    expect(shown('end \u0001without')).toBe('end [without]');
    expect(shown('\u0002only an end')).toBe('only an end');
    expect(markedParts('')).toEqual([]);
  });

  it('gives each part a place of its own', () => {
    const places = markedParts('\u0001a\u0002\u0001b\u0002c').map(({ at }) => at);
    expect(new Set(places).size).toBe(places.length);
  });

  it('marks words of a query, whatever they contain', () => {
    expect(shown(markWords('C++ and c++', 'c++'))).toBe('[C++] and [c++]');
    expect(shown(markWords('a.b axb', 'a.b'))).toBe('[a.b] axb');
    expect(shown(markWords('dogs', '  '))).toBe('dogs');
    expect(shown(markWords('doghouse dog', 'dog doghouse'))).toBe('[doghouse] [dog]');
    expect(shown(markWords('a dog', `dog ${'a'.repeat(100_000)}`))).toBe('a [dog]');
  });

  it('finds texts with every word', () => {
    expect(hasWords('My Dog Rex', 'rex dog')).toBe(true);
    expect(hasWords('My Dog Rex', 'rex cat')).toBe(false);
    expect(hasWords('anything', '')).toBe(true);
  });
  it('leaves Markdown marks out of a line', () => {
    expect(withoutMarkup('## Trips\nYou have **three** `trips` and 2 * 3')).toBe(
      'Trips\nYou have three trips and 2 * 3',
    );
  });
});
