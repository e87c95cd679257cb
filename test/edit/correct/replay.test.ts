import { describe, expect, it } from 'vitest';
import { replayCorrection } from '../../../src/edit/correct/replay-correction.ts';
import type { EngineContext } from '../../../src/engine/engine-context.ts';
import type { IndexCache } from '../../../src/engine/index-cache.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { IngestContext } from '../../../src/ingest/ingest-context.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';
import type { Correction } from '../../../src/model/nodes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { upToIds } from '../../engine/ingestion/graph-up-to-ids.ts';
import { graphOf } from '../../engine/memory-fixture.ts';
import { entityCalled, factSaying, STORY, say } from './corrected-memory.ts';

/** A memory whose turns have the same ids as those of any other of its kind; all else has its own. */
class Twin {
  readonly memory: MemoryScope;
  readonly #store = new InMemoryStore();
  readonly #context: EngineContext;
  readonly #keeper: IndexCache;
  #prefix = '';
  #count = 0;
  readonly #name: string;
  #now = 1_000_000;

  constructor(name: string) {
    this.#name = name;
    const profile = profileNamed('local');
    const embedder = new HashingEmbedder({ analyze, dimension: 64 });
    this.#context = {
      store: this.#store,
      embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
      ingest: { profile, stages: stagesOf(profile, {}), isAutomatic: false },
      admission: { redactsSecrets: true, neverRemember: null },
      clock: () => ++this.#now,
      newId: () => `${this.#prefix} ${String(++this.#count).padStart(6, '0')}`,
      logger: { warn: () => undefined },
      snapshotFolder: null,
    } as unknown as EngineContext;
    const session = new ScopeSession('twin' as IngestContext['scope'], this.#context);
    this.#keeper = session.index;
    this.memory = new MemoryScope(session);
  }

  /** @param step Number of the step, so that ids ascend. */
  async add(step: number, turns: readonly TurnInput[]): Promise<void> {
    [this.#prefix, this.#count] = [`${step} turn`, 0];
    await this.memory.add(turns);
    this.begin(step);
    await this.memory.flush();
  }

  begin(step: number): void {
    [this.#prefix, this.#count] = [`${step} ${this.#name}`, 1000];
  }

  async replay(step: number, correction: Correction): Promise<boolean> {
    this.begin(step);
    const { store, clock, newId, admission } = this.#context;
    const { index, embedding } = await this.#keeper.load();
    const scope = 'twin' as IngestContext['scope'];
    const context = { scope, store, index, embedder: embedding.embedder, admission, clock, newId };
    const changes = await replayCorrection(context, correction);
    if (changes === null) return false;
    await store.commit(scope, changes);
    this.#keeper.invalidate();
    return true;
  }

  async corrections(): Promise<readonly Correction[]> {
    return (await graphOf(this.memory)).nodes.correction;
  }
}

const LATER: readonly TurnInput[] = [
  ['Nora', 'I love coffee.'],
  ['Ben', 'Mel sings well.'],
  ['Ben', 'Rex ate my shoe.'],
  ['Nora', 'I moved to Rome.'],
].map(
  ([speaker, content], index) =>
    ({ session: 'three', index, speaker, content, at: '2023-07-01' }) as TurnInput,
);

type Step = (memory: MemoryScope) => Promise<unknown>;
const id = async (memory: MemoryScope, statement: string) => (await factSaying(memory, statement)).id;
const turnSaying = async (memory: MemoryScope, content: string) =>
  (await graphOf(memory)).nodes.episode.find((row) => row.content === content)!.id;

const edit: Step = async (memory) =>
  memory.corrections.editFact(await id(memory, 'Nora loves coffee'), {
    statement: 'Nora loves decaf coffee',
  });
const reject: Step = async (memory) => memory.corrections.rejectFact(await id(memory, 'Nora moved to Ghent'));
const pin: Step = async (memory) => memory.corrections.pinFact(await id(memory, 'Nora moved to Ghent'));
const rename: Step = async (memory) =>
  memory.corrections.editProfile(await entityCalled(memory, 'Rex'), { name: 'Rexy' });
const merge: Step = async (memory) =>
  memory.corrections.mergeEntities(await entityCalled(memory, 'Melanie'), await entityCalled(memory, 'Mel'));
const apart: Step = async (memory) =>
  memory.corrections.keepApart(await entityCalled(memory, 'Melanie'), await entityCalled(memory, 'Mel'));
const split: Step = async (memory) =>
  memory.corrections.splitEntity(await entityCalled(memory, 'Nora'), {
    name: 'Nora Berg',
    episodes: [await turnSaying(memory, 'I moved to Ghent.')],
  });
const undo: Step = async (memory) => memory.corrections.undo((await memory.corrections.list())[0]!.id);

describe('replaying corrections', () => {
  it.each<[string, readonly Step[]]>([
    ['an edit', [edit]],
    ['a rejection', [reject]],
    ['a pin', [pin]],
    ['a renaming', [rename]],
    ['a merge', [merge]],
    ['keeping apart', [apart]],
    ['a split', [split]],
    ['all at once', [edit, pin, rename, merge, split]],
    ['an edit undone', [edit, undo]],
    ['a merge undone', [rename, merge, undo]],
    ['a split undone', [split, undo, reject]],
  ])('%s gives the same memory up to ids', async (_, steps) => {
    const [live, shadow, plain] = [new Twin('live'), new Twin('shadow'), new Twin('plain')];
    await live.add(1, STORY);
    for (const [at, step] of steps.entries()) {
      live.begin(2 + at);
      await step(live.memory);
    }
    await live.add(50, LATER);
    const made = await live.corrections();
    expect(made).toHaveLength(steps.length);

    await shadow.add(1, STORY);
    for (const [at, correction] of made.entries())
      expect(await shadow.replay(2 + at, withoutUndoing(correction))).toBe(true);
    await shadow.add(50, LATER);
    const [wanted, found] = [await graphOf(live.memory), await graphOf(shadow.memory)];
    expect(upToIds(found)).toEqual(upToIds(wanted));
    const said = ({ id: own, kind, author, createdAt, undoneAt }: Correction) => ({
      id: own,
      kind,
      author,
      createdAt,
      isUndone: undoneAt !== null,
    });
    expect((await shadow.corrections()).map(said)).toEqual(made.map(said));
    // The ids are others, so that nothing was found by them.
    expect(new Set(found.nodes.fact.map((row) => row.id as string))).not.toEqual(
      new Set(wanted.nodes.fact.map((row) => row.id as string)),
    );

    await plain.add(1, STORY);
    await plain.add(50, LATER);
    const isUndone = steps.at(-1) === undo && steps.length === 2;
    if (isUndone) expect(upToIds(await graphOf(plain.memory)).facts).toEqual(upToIds(wanted).facts);
    else expect(upToIds(await graphOf(plain.memory))).not.toEqual(upToIds(wanted));
  });

  it('has no effect if their targets are missing', async () => {
    const [live, shadow] = [new Twin('live'), new Twin('shadow')];
    await live.add(1, STORY);
    for (const [at, step] of [edit, merge, split, undo].entries()) {
      live.begin(2 + at);
      await step(live.memory);
    }
    await shadow.add(1, [say('one', 0, ['Zoe', 'I like the sea.'])]);
    const before = await graphOf(shadow.memory);
    for (const [at, correction] of (await live.corrections()).entries())
      expect(await shadow.replay(2 + at, correction)).toBe(false);
    expect(await graphOf(shadow.memory)).toEqual(before);
  });
});

/** As it was when it was made. */
function withoutUndoing(correction: Correction): Correction {
  return { ...correction, undoneAt: null };
}
