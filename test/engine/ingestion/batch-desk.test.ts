import { expect, it } from 'vitest';
import { BatchDesk } from '../../../src/engine/ingestion/batch-desk.ts';
import type { BatchReading } from '../../../src/ingest/write/read-batch.ts';

const reading = (stoppedBy: unknown = null): BatchReading => ({ read: [], failed: [], stoppedBy });

it('keeps the four batches that were used last', () => {
  const desk = new BatchDesk();
  for (const key of ['a', 'b', 'c', 'd']) desk.of(key).reading = reading();
  desk.of('a');
  desk.of('e');
  expect(desk.of('b').reading).toBeNull();
  expect(desk.of('a').reading).not.toBeNull();
});

it('takes nothing back from a step that began before it was cleared', () => {
  const desk = new BatchDesk();
  const batch = desk.of('a');
  desk.clear();
  batch.reading = reading();
  desk.narrow('a', batch, { key: 'b', reading: reading() });
  expect([desk.of('a').reading, desk.of('b').reading]).toEqual([null, null]);
});

it('continues a part of a batch without what was resolved for the whole', () => {
  const desk = new BatchDesk();
  const batch = desk.of('a');
  batch.reading = reading();
  const part = reading('part');
  desk.narrow('a', batch, { key: 'b', reading: part });
  expect(desk.of('b')).toEqual({ reading: part, resolution: null, built: null });
  expect(desk.of('a').reading).toBeNull();
});
