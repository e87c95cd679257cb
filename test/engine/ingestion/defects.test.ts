import { describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/engine-context.ts';
import { ScopeViolationError } from '../../../src/errors/index.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { Superseder } from '../../../src/ingest/supersede/superseder.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, TWO_TOPICS } from './dialogues.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

const POISON = 'wolfsbane';

/** Three sessions of two topics; a turn of the second session is poisoned. */
function poisoned(): TurnInput[] {
  return [0, 1, 2].flatMap((day) =>
    dialogue(
      day === 1 ? TWO_TOPICS.with(1, `The ferns in my garden and the ${POISON} need shade.`) : TWO_TOPICS,
      { session: `day ${day}`, start: FIRST + day * 24 * 60 * MINUTE },
    ),
  );
}

/** A store that refuses whatever segment or fact speaks of the poison. */
function refusing(isHealed: () => boolean): GraphStore {
  const inner = new InMemoryStore();
  const isPoisoned = ({ nodes }: GraphChanges) =>
    JSON.stringify([nodes?.segment ?? [], nodes?.fact ?? []]).includes(POISON);
  return new Proxy<GraphStore>(inner, {
    get(_, name: keyof GraphStore) {
      const method = inner[name] as (...input: never[]) => unknown;
      if (name !== 'commit') return method.bind(inner);
      return async (...[scope, changes]: Parameters<GraphStore['commit']>) => {
        if (!isHealed() && isPoisoned(changes)) throw new ScopeViolationError('A fact of the change');
        return inner.commit(scope, changes);
      };
    },
  });
}

/** An embedder that fails where `trips` says so. */
function tripping(trips: (texts: readonly string[]) => boolean): Partial<EngineContext> {
  const embedder = new Proxy(new HashingEmbedder({ analyze, dimension: 64 }), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== 'embed') return typeof member === 'function' ? member.bind(target) : member;
      return async (...[texts, options]: Parameters<HashingEmbedder['embed']>) => {
        if (trips(texts)) throw new Error(`no device for ${POISON}`);
        return target.embed(texts, options);
      };
    },
  });
  return { embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }) };
}

describe('a consolidation with a defect', () => {
  it.each(['a refused commit', 'an embedder that trips over a text'] as const)(
    'sets aside the unit that causes it (%s); the others are consolidated, and a retry reads it',
    async (kind) => {
      let healed = false;
      const isRefused = kind === 'a refused commit';
      const said = new Set(poisoned().map(({ content }) => content));
      const trips = (texts: readonly string[]) =>
        !healed && texts.some((text) => text.includes(POISON) && !said.has(text));
      const store = isRefused ? refusing(() => healed) : new InMemoryStore();
      const { memory } = await memoryOver(store, isRefused ? {} : { parts: tripping(trips) });
      await memory.add(poisoned());
      const { counts } = await memory.flush();
      expect(counts.setAside).toBeGreaterThan(0);
      expect(counts.setAside).toBeLessThan(9);
      expect(counts.consolidated + counts.setAside).toBe(poisoned().length);
      const { enrichment } = await memory.stats();
      expect(enrichment).toMatchObject({ pending: 0, setAside: counts.setAside });
      expect(JSON.stringify(enrichment.failures)).not.toContain(POISON);
      expect((await memory.search('ferns')).episodes[0]?.content).toContain('ferns');
      expectConsistent(await graphOf(memory));
      expect((await memory.flush()).counts).toMatchObject({ consolidated: 0, setAside: 0 });
      healed = true;
      await memory.resume({ retry: true });
      expect((await memory.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
      expectConsistent(await graphOf(memory));
    },
  );

  it('continues by rules if a stage of its own fails', async () => {
    const superseder: Superseder = {
      concerns: () => {
        throw new TypeError('a defect');
      },
      supersede: async () => [],
    };
    const { memory } = await memoryOver(new InMemoryStore(), { stages: () => ({ superseder }) });
    await memory.add(poisoned());
    expect((await memory.flush()).counts).toMatchObject({ consolidated: poisoned().length, setAside: 0 });
    expectConsistent(await graphOf(memory));
  });

  it('leaves every turn waiting if the embedder fails', async () => {
    const failing = { isOn: false };
    const { memory } = await memoryOver(watchedStore().store, { parts: tripping(() => failing.isOn) });
    await memory.add(poisoned());
    failing.isOn = true;
    await expect(memory.flush()).rejects.toThrow('no device');
    expect((await memory.stats()).enrichment).toMatchObject({ pending: poisoned().length, setAside: 0 });
    failing.isOn = false;
    expect((await memory.flush()).counts).toMatchObject({ consolidated: poisoned().length, setAside: 0 });
  });
});
