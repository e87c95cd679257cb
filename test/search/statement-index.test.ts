import { describe, expect, it } from 'vitest';
import { hashOf, StatementIndex, statementKey } from '../../src/search/fact-index.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/search/snapshot.ts';
import { seededRandom } from './random.ts';

it.each([
  ['Ann moved to Oslo.', 'ann moved to oslo'],
  ['  ANN, moved —to Oslo!! ', 'ann moved to oslo'],
  ['José lives in Zürich', 'jose lives in zurich'],
  ['Ann’s dog', 'ann s dog'],
  ['Ann paid 3.50 €', 'ann paid 3 50'],
  ['北京に行った。', '北京に行った'],
  ['¿?', ''],
  ['', ''],
])('the key of a statement of %j is %j', (statement, key) => expect(statementKey(statement)).toBe(key));

describe('the hash of a text', () => {
  it('is a whole number that a double holds exactly, the same for the same text', () => {
    for (const text of ['', 'a', 'ann moved to oslo', 'x'.repeat(10_000), '\u0000', '\uffff\ud800']) {
      const hash = hashOf(text);
      expect(Number.isSafeInteger(hash)).toBe(true);
      expect(hash).toBeGreaterThanOrEqual(0);
      expect(hashOf(text.slice(0, 1) + text.slice(1))).toBe(hash);
    }
  });

  it('differs for a hundred thousand similar texts, and fills its 53 bits', () => {
    const seen = new Set<number>();
    let bits = 0n;
    for (let number = 0; number < 50_000; number++)
      for (const text of [`ann bought item ${number}`, `${number} items for ann`]) {
        const hash = hashOf(text);
        seen.add(hash);
        bits |= BigInt(hash);
      }
    expect(seen.size).toBe(100_000);
    expect(bits).toBe(2n ** 53n - 1n);
  });

  it('depends on the order of its letters', () => {
    expect(new Set(['abc', 'acb', 'bac', 'bca', 'cab', 'cba'].map(hashOf)).size).toBe(6);
  });
});

const throughSnapshot = (index: StatementIndex) => {
  const file = new Uint8Array(Buffer.concat(encodeSnapshot('s', index.toSections())));
  return StatementIndex.fromSections(decodeSnapshot(file, 's').snapshot!.sections)!;
};

describe('StatementIndex', () => {
  it('finds all facts that say the same, the oldest first, and no other', () => {
    const index = new StatementIndex();
    index.add(0, 'Ann moved to Oslo.');
    index.add(1, 'Ann moved to Bergen.');
    index.add(2, 'ann  moved to OSLO');
    expect(index.find('Ann moved to Oslo!')).toEqual([0, 2]);
    expect(index.find('Ann moved to Bergen')).toEqual([1]);
    expect(index.find('Ann moved')).toEqual([]);
    expect(index.find('')).toEqual([]);
  });

  it('removes a deleted fact, once, and keeps the others', () => {
    const index = new StatementIndex();
    index.add(0, 'a');
    index.add(1, 'a');
    index.add(2, 'b');
    index.remove(0);
    index.remove(0);
    index.remove(99);
    expect([index.find('a'), index.find('b')]).toEqual([[1], [2]]);
    index.remove(1);
    expect([index.find('a'), index.find('b')]).toEqual([[], [2]]);
    index.add(0, 'c');
    expect([index.find('a'), index.find('c')]).toEqual([[], [0]]);
  });

  it('accepts ordinals with gaps between them', () => {
    const index = new StatementIndex();
    index.add(40, 'a');
    index.remove(7);
    index.add(3, '');
    for (const each of [index, throughSnapshot(index)])
      expect([each.find('a'), each.find('')]).toEqual([[40], [3]]);
  });

  it('agrees with a list of statements through adds, removals and snapshots (random)', () => {
    const random = seededRandom(2);
    const said = new Map<number, string>();
    let index = new StatementIndex();
    const words = Array.from({ length: 30 }, (_, number) => `statement ${number}`);
    for (let ordinal = 0; ordinal < 500; ordinal++) {
      const statement = words[Math.floor(random() * words.length)]!;
      said.set(ordinal, statement);
      index.add(ordinal, statement.toUpperCase());
      if (random() < 0.4) {
        const gone = Math.floor(random() * ordinal);
        said.delete(gone);
        index.remove(gone);
      }
      if (ordinal % 50 === 0) index = throughSnapshot(index);
    }
    for (const word of words) {
      const expected = [...said].flatMap(([ordinal, statement]) => (statement === word ? [ordinal] : []));
      expect(index.find(word)).toEqual(expected);
    }
    expect(said.size).toBeGreaterThan(200);
  });

  it('rejects invalid sections', () => {
    expect(StatementIndex.fromSections(new Map())).toBeNull();
    expect(StatementIndex.fromSections(new Map([['hashes', Float32Array.of(1)]]))).toBeNull();
  });
});
