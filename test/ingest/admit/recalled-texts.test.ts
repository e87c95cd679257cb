import { describe, expect, it } from 'vitest';
import {
  AFTER_ALL,
  countWords,
  HashPlaces,
  hashWords,
  normalWords,
  type RecalledKind,
  RecalledTexts,
  splitPieces,
} from '../../../src/ingest/admit/recalled-texts.ts';

/** A row that was stored then. */
const row = (createdAt: number) => ({ createdAt, id: '' });
/** Small pseudo-random numbers, reproducible. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

const KINDS: readonly RecalledKind[] = ['fact', 'profile', 'segment', 'turn'];

describe('RecalledTexts', () => {
  it('contains whole texts, lines and sentences, and no other parts', () => {
    const texts = new RecalledTexts();
    texts.add('fact', 'Dr. Smith moved to Oslo. She likes it.\nHer cat is grey', row(1));
    const has = (text: string): boolean => texts.has('written', normalWords(text), row(2));
    for (const held of [
      'dr smith moved to oslo she likes it her cat is grey',
      'Dr. Smith moved to Oslo. She likes it.',
      'Dr. Smith moved to Oslo',
      'Smith moved to Oslo',
      'SHE likes “it”!',
      '[3] her cat is grey',
    ])
      expect(has(held), held).toBe(true);
    for (const foreign of [
      '',
      'moved to Oslo',
      'Her cat is',
      'She likes it. Her cat is grey',
      'drsmith moved to oslo',
    ])
      expect(has(foreign), foreign).toBe(false);
    expect(texts.has('said', normalWords('Her cat is grey'), row(2))).toBe(false);
  });

  it('contains openings at every eighth word', () => {
    const words = Array.from({ length: 20 }, (_, at) => `w${at}`);
    const texts = new RecalledTexts();
    texts.add('turn', words.join(' '), row(1));
    const known = [7, 8, 12, 16, 19, 20].map((length) =>
      texts.hasOpening('said', words.slice(0, length), row(2)),
    );
    expect(known).toEqual([false, true, true, true, true, true]);
    // The ninth to the fifteenth word are not compared, the sixteenth is.
    expect(texts.hasOpening('said', [...words.slice(0, 9), 'other'], row(2))).toBe(true);
    expect(texts.hasOpening('said', [...words.slice(0, 15), 'other'], row(2))).toBe(false);
    expect(texts.hasOpening('written', words, row(2))).toBe(false);
  });

  it('contains a text from the earliest time at which it was added, by source', () => {
    const next = numbers(7);
    const [texts, earliest] = [new RecalledTexts(), new Map<string, number>()];
    const vocabulary = ['red fox', 'Blue owl!', 'the owl sleeps', 'one two three', 'Hm.'];
    for (let round = 0; round < 600; round += 1) {
      const kind = KINDS[next.next().value! % 4]!;
      const text = `${vocabulary[next.next().value! % 5]!} ${next.next().value! % 9}`;
      const since = next.next().value! % 1_000;
      texts.add(kind, text, row(since));
      const key = JSON.stringify([kind === 'turn' ? 'said' : 'written', normalWords(text)]);
      earliest.set(key, Math.min(since, earliest.get(key) ?? since));
    }
    for (const [key, since] of earliest) {
      const [source, words] = JSON.parse(key) as ['said' | 'written', string[]];
      expect([texts.has(source, words, row(since)), texts.has(source, words, row(since + 1))], key).toEqual([
        false,
        true,
      ]);
    }
    expect(earliest.size).toBeGreaterThan(50);
  });
});

describe('hashWords', () => {
  it('is a whole number under 2^52 and different for 200,000 near texts', () => {
    const seen = new Set<number>();
    for (let at = 0; at < 100_000; at += 1) {
      seen.add(hashWords(['turn', String(at)], 1));
      seen.add(hashWords([`turn${at}`], 1));
    }
    expect(seen.size).toBe(200_000);
    for (const hash of seen)
      if (!(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 52)) expect.fail(String(hash));
  });

  it('uses all its bits: each is set in about half of the hashes', () => {
    const set = new Array<number>(52).fill(0);
    for (let at = 0; at < 20_000; at += 1) {
      let hash = BigInt(hashWords(['w', String(at)], 2));
      for (let bit = 0; bit < 52; bit += 1, hash >>= 1n) if (hash & 1n) set[bit]! += 1;
    }
    for (const [bit, count] of set.entries())
      expect(Math.abs(count - 10_000), `bit ${bit}`).toBeLessThan(400);
  });

  it('depends on the order, the seed and the word boundaries', () => {
    const hashes = [
      hashWords(['a', 'b'], 1),
      hashWords(['b', 'a'], 1),
      hashWords(['ab'], 1),
      hashWords(['a', 'b'], 2),
    ];
    expect(new Set(hashes).size).toBe(4);
  });
});

it('HashPlaces keeps the earliest place of each hash, by time and then by id', () => {
  const next = numbers(3);
  const [places, map] = [new HashPlaces(), new Map<number, string>()];
  const order = (time: number, id: string) => `${String(time).padStart(4, '0')} ${id}`;
  for (let round = 0; round < 20_000; round += 1) {
    const key = (next.next().value! % 700) * 2 ** 40 + 5;
    const time = next.next().value! % 100;
    const id = String(next.next().value! % 10);
    places.add(key, { createdAt: time, id });
    const [place, known] = [order(time, id), map.get(key)];
    if (known === undefined || place < known) map.set(key, place);
  }
  expect(places.size).toBe(map.size);
  for (const [key, place] of map) {
    const [time, id] = place.split(' ') as [string, string];
    const createdAt = Number(time);
    const before = [
      { createdAt, id },
      { createdAt, id: `${id}0` },
      { createdAt: createdAt + 1, id: '' },
    ].map((each) => places.isBefore(key, each));
    expect(before).toEqual([false, true, true]);
  }
  expect(places.isBefore(6, AFTER_ALL)).toBe(false);
});

describe('normalWords', () => {
  it.each([
    ['  “Don’t”—stop,  NOW! [12] ', ['dont', 'stop', 'now']],
    ['Ｃａｆé cafe\u0301', ['café', 'café']],
    ['猫が好き ok', ['猫', 'が', '好', 'き', 'ok']],
    ['[12a] [1234]', ['12a', '1234']],
    ['…!', []],
  ])('%s', (text, words) => expect(normalWords(text)).toEqual(words));

  it('counts two characters without spaces as a word', () => {
    expect(countWords(normalWords('猫が好き ok'))).toBe(3);
    expect(countWords(normalWords('猫が好'))).toBe(2);
  });
});

describe('splitPieces', () => {
  const split = (line: string, abbreviations = true): string[] =>
    splitPieces(line, { abbreviations }).map(({ start, end }) => line.slice(start, end));

  it.each([
    ['I saw Dr. Smith. He is 3.5 m tall!', ['I saw Dr. Smith.', ' He is 3.5 m tall!']],
    ['“Yes.” [1] No?! [2]', ['“Yes.”', ' ', '[1]', ' No?!', ' ', '[2]']],
    ['Look. [photo: a dog. A cat] [image: a', ['Look.', ' ', '[photo: a dog. A cat]', ' ', '[image: a']],
    ['好。很好！ok', ['好。', '很好！', 'ok']],
    ['', []],
  ])('%s', (line, pieces) => expect(split(line)).toEqual(pieces));

  it('cuts after abbreviations if set', () => {
    expect(split('I saw Dr. Smith.', false)).toEqual(['I saw Dr.', ' Smith.']);
  });

  it('covers every character', () => {
    const next = numbers(11);
    const parts = ['.', ' ', '[', ']', '[1]', '[a: ', 'Mr', 'word', '!', '…', '。', '“', '”', '\u{1F600}'];
    for (let round = 0; round < 2_000; round += 1) {
      const line = Array.from({ length: 12 }, () => parts[next.next().value! % parts.length]!).join('');
      expect(split(line).join('')).toBe(line);
    }
  });
});
