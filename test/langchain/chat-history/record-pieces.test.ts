import { expect, it } from 'vitest';
import { packRecord, unpackRecord } from '../../../src/langchain/chat-history/record-pieces.ts';

it('splits a record into pieces of the size of a turn, none within a surrogate pair', () => {
  for (const shift of ['', 'x']) {
    const record = { type: 'ai' as const, note: shift + '🧠'.repeat(5_000) };
    const pieces = packRecord(record, true)!;
    expect(pieces.length).toBeGreaterThan(5);
    for (const { uri, description } of pieces) {
      expect(uri!.length).toBeLessThanOrEqual(2_000);
      expect(uri!.isWellFormed()).toBe(true);
      expect(description).toBe('');
    }
    expect(unpackRecord(pieces)).toEqual(record);
  }
  expect(unpackRecord([])).toBeNull();
  const fields = Array.from({ length: 20_000 }, (_, at) => [`field-${at}`, at]);
  expect(packRecord({ type: 'ai', ...Object.fromEntries(fields) }, true)).toBeNull();
});
