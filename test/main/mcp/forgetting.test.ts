import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { CONVERSATION } from '../../engine/memory-fixture.ts';
import { type App, McpLab } from './mcp-lab.ts';

let lab: McpLab;
let memory: MemoryScope;
let app: App;
let scopes = 0;
const now = Date.parse('2024-01-01');
beforeAll(async () => {
  lab = await McpLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());
beforeEach(async () => {
  memory = lab.engine.scope(`forgetting ${++scopes}`);
  await memory.add(CONVERSATION);
  app = await lab.app({ scope: memory.name, clock: () => now });
});

const turnsLeft = async () => (await memory.stats()).episode;
const confirmationOf = async (target: object, by = app): Promise<string> =>
  (await by.call('forget_preview', target)).data.confirmation;

describe('forgetting in two steps', () => {
  it('forgets what was shown, and reports progress', async () => {
    const target = { session: 's1' };
    const { text, data } = await app.call('forget_preview', target);
    expect(data).toMatchObject({ turns: 4, minutes: 10, counts: { episode: 4 } });
    expect(data.examples).toHaveLength(4);
    expect(data.examples[0]).toMatchObject({ session: 's1', at: '2023-05-08T00:00:00.000Z' });
    expect(data.examples[0].uri).toContain(`/episode/${data.examples[0].id}`);
    expect(text).toContain(data.confirmation);
    expect(await turnsLeft()).toBe(8);
    const heard: Progress[] = [];
    const { confirmation } = data;
    const done = await app.call(
      'forget',
      { ...target, confirmation },
      { onprogress: (each) => void heard.push(each) },
    );
    expect(done.data).toMatchObject({ removed: { episode: 4 }, clean: true, onDisk: 'nothing on disk' });
    expect(done.text).toContain('4 turns');
    expect(await turnsLeft()).toBe(4);
    expect(heard.length).toBeGreaterThan(0);
    const steps = heard.map(({ progress }) => progress);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    // Used up, as there is nothing left that it is for.
    const again = await app.call('forget', { ...target, confirmation });
    expect(again.isError).toBe(true);
  });

  it('takes an entity, a query, and everything', async () => {
    const few = lab.engine.scope(`${memory.name}, few`);
    await few.add(CONVERSATION.slice(4));
    await few.flush();
    const small = await lab.app({ scope: few.name, clock: () => now });
    const targets: readonly (readonly [object, object, number])[] = [
      [{ entity: 'Rex' }, { entity: 1 }, 4],
      [{ query: 'sister Carla nurse', limit: 1 }, { episode: 1 }, 3],
      [{ everything: true }, { episode: 3 }, 0],
    ];
    for (const [target, removed, left] of targets) {
      const shown = await small.call('forget_preview', target);
      expect(shown.data).toMatchObject({ facts: expect.any(Array), entities: expect.any(Array) });
      if ('entity' in target) expect(shown.data.entities).toEqual(['Rex']);
      const { confirmation } = shown.data;
      const { data } = await small.call('forget', { ...target, confirmation });
      expect([data.removed, (await few.stats()).episode]).toEqual([expect.objectContaining(removed), left]);
    }
    const nothing = await small.call('forget_preview', { everything: true });
    expect(nothing).toMatchObject({ text: 'There is nothing to forget.', data: { confirmation: null } });
  });

  it('forgets nothing without a matching confirmation', async () => {
    const target = { session: 's1' };
    const confirmation = await confirmationOf(target);
    const other = lab.engine.scope(`${memory.name}, another`);
    await other.add(CONVERSATION);
    const foreign = await lab.app({ scope: other.name, clock: () => now });
    const sibling = await lab.app({ scope: memory.name, clock: () => now });
    const [digest = ''] = confirmation.split('.').slice(1);
    const misused = [
      app.call('forget', { session: 's2', confirmation }),
      app.call('forget', { everything: true, confirmation }),
      app.call('forget', { ...target, confirmation: 'yes' }),
      app.call('forget', { ...target, confirmation: `zzzzzzzzz.${digest}` }),
      app.call('forget', { ...target, confirmation: `${confirmation}x` }),
      foreign.call('forget', { ...target, confirmation }),
      sibling.call('forget', { ...target, confirmation }),
    ];
    for (const { isError, code, text } of await Promise.all(misused)) {
      expect([isError, code]).toEqual([true, 'not-confirmed']);
      expect(text).toContain('Nothing was forgotten');
    }
    const missing = await app.call('forget', target);
    expect(missing.isError).toBe(true);
    expect([await turnsLeft(), (await other.stats()).episode]).toEqual([8, 8]);
    expect((await app.call('forget', { ...target, confirmation })).isError).toBe(false);
  });
});
