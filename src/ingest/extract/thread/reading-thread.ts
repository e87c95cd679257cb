import { parentPort, workerData } from 'node:worker_threads';
import { entityNameKey } from '../../../util/tidy.ts';
import type { TurnToRead } from '../extractor.ts';
import { LocalSegmentReader } from '../local-segment-reader.ts';
import type { ReadReply, ReadRequest, ReadSegment, ThreadSettings } from './messages.ts';

/** Reads segments by rules, one request after another. Names that it read count as known in later requests. */
const { gate, names } = workerData as ThreadSettings;
const known = new Set(names);
const reader = new LocalSegmentReader({ gate });
let last: Promise<void> = Promise.resolve();

parentPort!.on('message', (request: ReadRequest) => {
  last = last.then(async () => parentPort!.postMessage(await answer(request)));
});

async function answer({ number, segments, corrections }: ReadRequest): Promise<ReadReply> {
  for (const [name, isKnown] of corrections)
    if (isKnown) known.add(entityNameKey(name));
    else known.delete(entityNameKey(name));
  try {
    const read: ReadSegment[] = [];
    for (const turns of segments) read.push(await readOne(turns));
    return { number, segments: read };
  } catch (error) {
    return { number, failure: String(error) };
  }
}

async function readOne(turns: readonly TurnToRead[]): Promise<ReadSegment> {
  const asked = new Map<string, boolean>();
  const [reading] = await reader.read([turns], {
    known: (name) => {
      const isKnown = known.has(entityNameKey(name));
      asked.set(name, isKnown);
      return isKnown;
    },
  });
  for (const { name, aliases } of reading!.extraction.entities)
    for (const each of [name, ...aliases]) known.add(entityNameKey(each));
  return { reading: reading!, asked: [...asked] };
}
