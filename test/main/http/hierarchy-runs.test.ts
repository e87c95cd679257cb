import { describe, expect, it } from 'vitest';
import type { HierarchyEvent } from '../../../main/contract.ts';
import { CancelledError } from '../../../src/errors/index.ts';
import type { CategorizeRequest, Categorizer } from '../../../src/hierarchy/categorizer.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { gate } from '../../fixtures/gate.ts';
import { ServerLab } from './server-fixture.ts';

const scope = 'ana';
const TURNS = ['dog', 'cat', 'parrot', 'rabbit', 'guitar', 'piano', 'violin', 'zither'].map(
  (thing, index) => ({
    ...{ speaker: 'Ana', session: 's', index, at: '2024-01-05', content: `I bought a ${thing}.` },
  }),
);

/** Groups three nodes a call, as a model would, and from the given call on waits to be told to, or to be stopped. */
class SlowCategorizer implements Categorizer {
  readonly name = 'slow';
  readonly nodesAtOnce = 3;
  readonly #waitsFrom: number;
  #calls = 0;
  #reached = () => {};
  #open = () => {};
  #stop = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  readonly stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });
  /** Resolves when it waits. */
  readonly waits = new Promise<void>((resolve) => {
    this.#reached = resolve;
  });

  constructor(waitsFrom: number) {
    this.#waitsFrom = waitsFrom;
  }

  get calls(): number {
    return this.#calls;
  }

  open(): void {
    this.#open();
  }

  async categorize({ layer, due }: CategorizeRequest, { signal }: { signal?: AbortSignal | undefined } = {}) {
    if (++this.#calls >= this.#waitsFrom) {
      this.#reached();
      await Promise.race([this.#opened, fired(signal)]);
    }
    if (signal?.aborted) {
      this.#stop();
      throw new CancelledError('nothing was proposed', signal.reason);
    }
    const categories = [{ name: `Things of layer ${layer}`, tags: [], nodes: [...due] }];
    return { categories, notes: [], usage: NO_MODEL_USAGE };
  }
}

async function fired(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
}

/** A server whose memory knows of things that have no category yet; `both` are two requests under way at once. */
async function waitingLab(categorizer: Categorizer) {
  const { opened: both, open: reached } = gate();
  const profile = { ...profileNamed('local'), name: 'ungrouped', hierarchy: 'never' as const };
  const onActivity = (underWay: number) => underWay === 2 && reached();
  const lab = await ServerLab.open({ onActivity }, { categorizer, profile });
  await lab.client.add({ scope, turns: TURNS });
  await lab.client.flush({ scope });
  const { entities } = await lab.client.hierarchy({ scope });
  return Object.assign(lab, { both, entities });
}

async function lastOf(events: AsyncIterable<HierarchyEvent>): Promise<HierarchyEvent | undefined> {
  let last: HierarchyEvent | undefined;
  for await (const event of events) last = event;
  return last;
}

describe('a run over the hierarchy, requested by another process', () => {
  it('is cancelled at a step, keeps what was placed, and continues when it is requested again', async () => {
    const categorizer = new SlowCategorizer(2);
    await using lab = await waitingLab(categorizer);
    const stop = new AbortController();
    const run = lab.client.updateHierarchy({ scope }, { signal: stop.signal });
    expect((await run.next()).value).toMatchObject({ type: 'progress', layer: 1, counts: { placed: 3 } });
    await categorizer.waits;
    const next = run.next();
    stop.abort();
    await expect(next).rejects.toMatchObject({ code: 'cancelled' });
    await categorizer.stopped;
    categorizer.open();
    const { waiting } = await lab.client.hierarchy({ scope });
    expect(waiting).toBe(lab.entities - 3);
    expect(await lastOf(lab.client.updateHierarchy({ scope }))).toMatchObject({
      ...{ type: 'done', mode: 'update' },
      counts: { placed: expect.any(Number), created: expect.any(Number) },
    });
    expect((await lab.client.hierarchy({ scope })).waiting).toBe(0);
  });

  it('is cancelled when its client disconnects', async () => {
    const categorizer = new SlowCategorizer(2);
    await using lab = await waitingLab(categorizer);
    for await (const _ of lab.client.updateHierarchy({ scope })) {
      await categorizer.waits;
      break;
    }
    await categorizer.stopped;
    expect((await lab.client.hierarchy({ scope })).waiting).toBe(lab.entities - 3);
  });

  it('waits for the one before it', async () => {
    const categorizer = new SlowCategorizer(1);
    await using lab = await waitingLab(categorizer);
    const first = lastOf(lab.client.updateHierarchy({ scope }));
    await categorizer.waits;
    const second = lastOf(lab.client.rebuildHierarchy({ scope }));
    await lab.both;
    expect(categorizer.calls).toBe(1);
    categorizer.open();
    expect(await first).toMatchObject({ type: 'done', mode: 'update', counts: { dissolved: 0 } });
    expect(await second).toMatchObject({ type: 'done', mode: 'rebuild' });
  });

  it('does not start if it is cancelled while it waits', async () => {
    const categorizer = new SlowCategorizer(1);
    await using lab = await waitingLab(categorizer);
    const first = lastOf(lab.client.updateHierarchy({ scope }));
    await categorizer.waits;
    const stop = new AbortController();
    const second = lastOf(lab.client.rebuildHierarchy({ scope }, { signal: stop.signal }));
    await lab.both;
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    categorizer.open();
    expect(await first).toMatchObject({ type: 'done' });
    const { calls } = categorizer;
    await lab.server.close(); // once all that is under way has ended
    expect(categorizer.calls).toBe(calls);
  });
});
