import { describe, expect, it } from 'vitest';
import { readScopeRows } from '../../src/edit/rederive/scope-rows.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { canonical } from '../edit/rederive/canonical-graph.ts';
import { embedder, localMemory, SCOPE } from '../edit/rederive/local-memory.ts';

const START = Date.UTC(2026, 0, 2, 9);
const say = (
  lines: readonly (readonly [speaker: string, content: string, session?: string])[],
): TurnInput[] =>
  lines.map(([speaker, content, session = 's'], at) => ({
    ...{ session, speaker, content, sourceId: `k${at}`, at: START + at * 3_600_000 },
    ...(speaker === 'Assistant' && { role: 'assistant' as const }),
  }));

/** Turns that repeat lines and sentences of each other. */
const TALKS: Readonly<Record<string, readonly TurnInput[]>> = {
  lists: say([
    ['Nora', '- buy milk\n- call Yusuf\n- book a train to Ghent'],
    ['Nora', '- buy bread\n- call Dr. Otto Klein\n- book a train to Ghent'],
  ]),
  talk: say([
    ['Nora', 'I met Yusuf Barudo at the Turin market. He plays the cello.'],
    ['Tom', 'I met Yusuf Moteve at the Ghent market. He plays the cello.'],
  ]),
  'the same words': say([
    ['Nora', 'I live in Ghent near the canal.'],
    ['Nora', 'I live in Ghent near the canal.'],
    ['Assistant', 'You said: “I live in Ghent near the canal.” Lovely.'],
  ]),
  'answers that repeat a list': say([
    ['Nora', 'Please plan:\n1. Visit the museum in Bruges\n2. Lunch with Mia Stone'],
    ['Assistant', 'Here it is:\n1. Visit the museum in Bruges\n2. Lunch with Mia Stone\n3. A walk in Oslo'],
    ['Nora', 'Again:\n1. Visit the museum in Bruges\n2. Lunch with Mia Stone', 'later'],
  ]),
  'several sessions': say([
    ['Nora', 'My sister Mia works at the library in Ghent.', 'one'],
    ['Tom', 'Nora: My sister Mia works at the library in Ghent.', 'two'],
    ['Nora', '[1] My sister Mia works at the library in Ghent. And I bought a boat.', 'three'],
  ]),
};

type Clock = () => number;
function ticking(step: number): Clock {
  let now = START;
  return () => {
    now += step;
    return Math.floor(now);
  };
}

const CLOCKS: Readonly<Record<string, () => Clock>> = {
  moving: () => ticking(1),
  standing: () => ticking(0),
  'two calls in a millisecond': () => ticking(0.5),
};

async function graphOf(turns: readonly TurnInput[], size: number, clock: Clock): Promise<string[]> {
  const store = new InMemoryStore();
  await store.setFingerprint(embedder.fingerprint);
  let ids = 0;
  const newId = () => String(++ids).padStart(9, '0');
  const memory = localMemory(store, { clock, newId, scope: SCOPE, warn: () => undefined });
  for (let at = 0; at < turns.length; at += size) await memory.add(turns.slice(at, at + size));
  await memory.flush();
  return canonical(await readScopeRows(store, SCOPE));
}

/** Rows without the times of the clock of the system. */
const timeless = (graph: readonly string[]) => graph.map((row) => row.replaceAll(/"createdAt":\d+/g, ''));

describe.each(Object.entries(TALKS))('%s', (_, turns) => {
  it('give the same graph, however they are divided into calls and milliseconds', async () => {
    const graphs = new Map<string, string>();
    for (const [name, clock] of Object.entries(CLOCKS))
      for (const size of [1, 2, turns.length])
        graphs.set(`${name}, ${size} in a call`, timeless(await graphOf(turns, size, clock())).join('\n'));
    const [first] = graphs.values();
    for (const [how, graph] of graphs) expect(graph, how).toBe(first);
  });
});
