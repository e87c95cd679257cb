import { expect, it } from 'vitest';
import { HOSTILE_SHAPES, hostileText, ordinaryProse } from '../../../bench/hostile-texts/shapes.ts';
import { normalWords, readWords } from '../../../src/ingest/admit/recalled-texts.ts';
import { atOnce } from '../../../src/util/breathe.ts';

const LENGTH = 30_000;
const ODD = ['e\u0301 ', '猫\ufe00犬', 'ﷺ ﷺ ', 'Ὀδυσσεύς ', 'か\u3099き ', '[12] ', "l'été ", 'ﬁ\u00adx '];

it.each(['', ...HOSTILE_SHAPES])(
  'words of a long text are the same when it is read in pieces: %s',
  (shape) => {
    const text = shape === '' ? ordinaryProse(LENGTH) : hostileText(shape, LENGTH);
    expect(atOnce(readWords(text))).toEqual(normalWords(text));
  },
);

it.each(ODD)('words are the same if a text is read in pieces: %j', (part) => {
  for (const between of ['', 'a', ' 猫', '猫']) {
    const text = `${part}${between}`.repeat(LENGTH / 4);
    expect(atOnce(readWords(text))).toEqual(normalWords(text));
  }
});
