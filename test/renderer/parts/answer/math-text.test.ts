import { describe, expect, it } from 'vitest';
import { hasMath, mathText } from '../../../../renderer/parts/answer/math-text.ts';

describe('mathText', () => {
  it('writes the ways of marking formulas as one', () => {
    expect(mathText('so \\( x^2 \\) is')).toBe('so $$x^2$$ is');
    expect(mathText('\\[ \\frac{1}{2} \\]')).toBe('\n$$\n\\frac{1}{2}\n$$\n');
    expect(mathText('so $x^2$ is')).toBe('so $$x^2$$ is');
    expect(mathText('$$\nx\n$$')).toBe('$$\nx\n$$');
  });

  it.each(['from $5 to $10', 'US$5 = US$6', '$5 and $6_000', 'a $ b = c $ d', '\\$x_1\\$'])(
    'leaves money alone: %s',
    (words) => {
      expect(mathText(words)).toBe(words);
      expect(hasMath(words)).toBe(false);
    },
  );

  it('leaves code alone', () => {
    for (const code of ['`$a_1$`', '```sh\necho $a_1 $b_1$\n```', '```\nunfinished $x^2$', '`\\(x\\)`']) {
      expect(mathText(code)).toBe(code);
      expect(hasMath(code)).toBe(false);
    }
  });
});
