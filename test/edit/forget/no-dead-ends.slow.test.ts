import { describe, expect, it, vi } from 'vitest';
import { unfinishedForgettings } from '../../../src/edit/forget/records.ts';
import { afterRemoval } from '../../../src/engine/forgetting/after-removal.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { Mnemis } from '../../../src/engine.ts';
import {
  DiskFullError,
  InvalidChangeError,
  ScopeViolationError,
  StoreWriteError,
} from '../../../src/errors/index.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { CorrectionId } from '../../../src/model/ids.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { type MemoryOverOptions, memoryOver } from '../../engine/ingestion/memory-over.ts';
import { freshPath, graphOf, open, remember } from '../../engine/memory-fixture.ts';
import { ingest } from '../rederive/local-memory.ts';
import { expectWithout, PLAIN, SECRET, SECRET_WORDS, wordsIn } from './forget-lab.ts';

/** A store of which each commit may be refused. */
function refusingStore(): { store: GraphStore; refuse: (changes: GraphChanges) => Error | null } {
  const inner = new InMemoryStore();
  const refusing = {
    refuse: (_changes: GraphChanges): Error | null => null,
    store: new Proxy<GraphStore>(inner, {
      get(_, name: keyof GraphStore) {
        const method = inner[name] as (...input: never[]) => unknown;
        if (name !== 'commit') return method.bind(inner);
        return async (...[scope, changes]: Parameters<GraphStore['commit']>) => {
          const refusal = refusing.refuse(changes);
          if (refusal !== null) throw refusal;
          return inner.commit(scope, changes);
        };
      },
    }),
  };
  return refusing;
}

const removesTurns = ({ removals = [] }: GraphChanges) => removals.some(({ kind }) => kind === 'episode');
const rewritesProfiles = (changes: GraphChanges) =>
  (changes.nodes?.profile ?? []).length > 0 && removesTurns(changes);
const isFinalRecord = ({ nodes }: GraphChanges) =>
  (nodes?.correction ?? []).some(({ finishedAt }) => finishedAt !== null);
async function filled(store: GraphStore, options: MemoryOverOptions = {}) {
  const { memory, warnings } = await memoryOver(store, options);
  await remember(memory, [...SECRET, ...PLAIN]);
  const other = (await memoryOver(store, { ...options, scope: 'b' })).memory;
  await remember(other, SECRET);
  return { memory, other, warnings };
}

/** That a scope searches, answers, adds, reads, exports and maintains, and shows no word of what was forgotten. */
async function expectUsable(memory: Awaited<ReturnType<typeof filled>>['memory'], at: number): Promise<void> {
  const { episodes, facts, entities } = await memory.search('Who plays the zither in Ghent? Where is Oslo?');
  expect(episodes.length).toBeGreaterThan(0);
  const answer = await memory.ask('Where did Ann move?');
  const shown = JSON.stringify([episodes, facts, entities, answer.text]);
  for (const word of ['zither', 'Marlowe', 'clinic']) expect(shown).not.toContain(word);
  const content = `Number ${at} is a new turn.`;
  expect(
    await memory.add({ session: 'later', index: at, speaker: 'Ann', at: 1e12 + at, content }),
  ).toMatchObject({
    added: 1,
  });
  await memory.flush();
  expect((await memory.search(content)).episodes.map((turn) => turn.content)).toContain(content);
  const exported = wordsIn(await graphOf(memory));
  expect(exported).toContain(content);
  expect(SECRET_WORDS.filter((word) => exported.includes(word))).toEqual([]);
  await memory.maintain();
  expect(await memory.stats()).toMatchObject({ enrichment: expect.anything() });
}

describe('two forgettings in a row', () => {
  it('of a relative and a teacher of one name leave the scope usable, equal to one without them', async () => {
    const at = '2025-01-01T00:00Z';
    const turn = (session: string, sourceId: string, speaker: string, content: string) => ({
      ...{ session, sourceId, speaker, at, content },
    });
    await using engine = await open(freshPath(), { automatic: false });
    const memory = engine.scope('a');
    const add = async (...input: Parameters<typeof turn>) => {
      const { outcomes } = await memory.add(turn(...input));
      return (outcomes[0] as { id: string }).id;
    };
    await add('s0', '1', 'Carla', 'My sister Yusuf works at the library in Bruges.');
    const two = await add(
      's1',
      '2',
      'Tomas',
      'I started chess yesterday; my teacher Yusuf recommended the Najdorf method.',
    );
    await memory.flush();
    const three = await add(
      's1',
      '3',
      'Nora',
      'Carla said "rowing is the best" when I told her that I live in Bruges.',
    );
    await add(
      's1',
      '4',
      'Yusuf',
      'I started bouldering yesterday; my teacher Yusuf recommended the Kilter method.',
    );
    await memory.flush();
    expect(await memory.forget({ episode: two })).toMatchObject({ fallbacks: [], proof: { clean: true } });
    expect(await memory.forget({ episode: three })).toMatchObject({ fallbacks: [], proof: { clean: true } });
    expect((await memory.search('Who works at the library?')).episodes[0]?.content).toContain('library');
    expect(wordsIn(await graphOf(memory))).not.toContain('rowing');
    await engine.compact()[Symbol.asyncIterator]().next();
    await memory.forget({ all: true });
    expect((await memory.stats()).episode).toBe(0);
  });
});

describe('a forgetting that a defect interrupts', () => {
  it.each<[string, (changes: GraphChanges) => boolean, Error]>([
    ['in the removal', rewritesProfiles, new ScopeViolationError('A profile of the change')],
    [
      'in each removal of turns but the coarse one',
      rewritesProfiles,
      new InvalidChangeError('an id is already taken'),
    ],
    [
      'with an error of nobody',
      rewritesProfiles,
      new TypeError('undefined is not a function: Quentin Marlowe'),
    ],
  ])('%s: removes everything derived, and the remaining turns are read again', async (_, isHit, error) => {
    const refusing = refusingStore();
    const { memory, other, warnings } = await filled(refusing.store);
    const before = await graphOf(other);
    refusing.refuse = (changes) => (isHit(changes) ? error : null);
    const report = await memory.forget({ session: 'secret' });
    expect(report.fallbacks.map(({ step }) => step)).toEqual(['removing', 'removing']);
    expect(report.proof.clean).toBe(true);
    expect(JSON.stringify([report.fallbacks, warnings])).not.toContain('Quentin');
    expectWithout(await graphOf(memory), SECRET_WORDS, { waits: true });
    await memory.flush();
    expectWithout(await graphOf(memory), SECRET_WORDS);
    expect((await memory.search('nurse in Lisbon')).facts.length).toBeGreaterThan(0);
    refusing.refuse = () => null;
    await expectUsable(memory, 1);
    expect(await graphOf(other)).toEqual(before);
  });

  it('in the embedder: removes exactly, without vectors for rewritten profiles', async () => {
    const { store } = refusingStore();
    const embedder = new HashingEmbedder({ analyze, dimension: 64 });
    const failing = { isOn: false };
    const breaking = new Proxy(embedder, {
      get(target, name) {
        if (name === 'embed' && failing.isOn)
          return async () => {
            throw new Error('no device');
          };
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const parts = { embedding: new EmbeddingSwitch({ embedder: breaking, comparesVectors: true }) };
    const { memory } = await filled(store, { parts });
    failing.isOn = true;
    const { fallbacks, proof } = await memory.forget({ session: 'secret' });
    expect(fallbacks.map(({ step }) => step)).toEqual(['removing']);
    expect(proof.clean).toBe(true);
    failing.isOn = false;
    const graph = await graphOf(memory);
    const text = wordsIn(graph);
    expect(SECRET_WORDS.filter((word) => text.includes(word))).toEqual([]);
    expect(graph.nodes.fact.length).toBeGreaterThan(0); // those of the other session stay
    await expectUsable(memory, 1);
  });

  it.each(['rederiving', 'hierarchy', 'checking'] as const)(
    'in the step %s skips that step',
    async (step) => {
      const { store } = refusingStore();
      const defect = async () => {
        throw new TypeError('a defect');
      };
      const parts = {
        ...(step === 'rederiving' ? { afterRemoval: defect } : { afterRemoval: afterRemoval({ ingest }) }),
        ...(step === 'hierarchy' ? { updateHierarchy: defect } : {}),
        ...(step === 'checking'
          ? {
              textHolders: [
                {
                  name: 'notes',
                  holds: defect,
                },
              ],
            }
          : {}),
      };
      const { memory, warnings } = await filled(store, { parts });
      if (step === 'hierarchy') await memory.hierarchy.rebuild();
      const mixed = await idsOfMixed(memory);
      const report = await memory.forget({ episodes: mixed });
      await memory.settle();
      expect(report.fallbacks.map((fallback) => fallback.step)).toEqual(step === 'checking' ? [step] : []);
      expect(warnings.filter((text) => text.includes(`A step of a forgetting (${step})`))).toHaveLength(1);
      expect(report.proof.clean).toBe(step !== 'checking');
      await memory.flush();
      expect(wordsIn(await graphOf(memory))).not.toContain('zither');
      expect((await memory.search('beagle Rex')).facts.length).toBeGreaterThan(0);
    },
  );
});

async function idsOfMixed(memory: Awaited<ReturnType<typeof filled>>['memory']): Promise<string[]> {
  const { nodes } = await graphOf(memory);
  const isMixed = ({ content }: { content: string }) => /zither|Quentin|Oslo/.test(content);
  return nodes.episode.filter(isMixed).map(({ id }) => id);
}

describe('a forgetting that a disk failure interrupts', () => {
  it.each<[string, (changes: GraphChanges) => boolean, () => Error]>([
    ['at its last record, full', isFinalRecord, () => new DiskFullError('memory.db')],
    ['at its last record, failing', isFinalRecord, () => new StoreWriteError('IO exception')],
  ])('%s: the scope stays usable, and it is completed when there is room', async (_, isHit, error) => {
    const refusing = refusingStore();
    const { memory, other, warnings } = await filled(refusing.store);
    const before = await graphOf(other);
    refusing.refuse = (changes) => (isHit(changes) ? error() : null);
    await expect(memory.forget({ session: 'secret' })).rejects.toThrow('The rest is hidden');
    for (let at = 0; at < 5; at++) await expectUsable(memory, at);
    expect(warnings.filter((text) => text.includes('could not be completed'))).toHaveLength(1);
    expect(await memory.maintain()).toMatchObject({
      finishedForgetting: 0,
      unfinishedForgetting: { count: 1 },
    });
    expect(await graphOf(other)).toEqual(before);
    refusing.refuse = () => null;
    expect(await memory.maintain()).toMatchObject({ finishedForgetting: 1, unfinishedForgetting: null });
    expectWithout(await graphOf(memory), SECRET_WORDS);
  });

  it('before the first removal: rows to be removed are hidden, everything can be forgotten, and reopening completes it', async () => {
    for (const end of ['all', 'reopen', 'coarse'] as const) {
      const refusing = refusingStore();
      const { memory } = await filled(refusing.store);
      let commits = 0;
      // The record is written by an import, before anything of it is removed.
      const file = freshPath('.jsonl');
      await memory.exportTo(file);
      await memory.forget({ session: 'secret' });
      refusing.refuse = (changes) =>
        removesTurns(changes) && ++commits > 0 ? new StoreWriteError('IO exception') : null;
      await memory.importFrom(file);
      expect(commits).toBeGreaterThan(0);
      for (let at = 0; at < 4; at++) await expectUsable(memory, at);
      const copy = freshPath('.jsonl');
      await memory.exportTo(copy);
      const { memory: copied } = await memoryOver(new InMemoryStore());
      await copied.importFrom(copy);
      expect((await copied.stats()).episode).toBe((await memory.stats()).episode);
      const tried = commits;
      await memory.search('zither');
      expect(commits).toBe(tried); // no longer tried unasked
      refusing.refuse = () => null;
      if (end === 'all') {
        await memory.forget({ all: true });
        expect(await memory.stats()).toMatchObject({ episode: 0, fact: 0, profile: 0 });
        expect(await memory.maintain()).toMatchObject({ finishedForgetting: 0, unfinishedForgetting: null });
      } else if (end === 'reopen') {
        const again = await memoryOver(refusing.store);
        await expectUsable(again.memory, 9);
        expectWithout(await graphOf(again.memory), SECRET_WORDS);
      } else {
        refusing.refuse = (changes) =>
          rewritesProfiles(changes) ? new StoreWriteError('IO exception') : null;
        await memory.settle();
        expectWithout(await graphOf(memory), SECRET_WORDS, { waits: true });
      }
    }
  });
});

describe('calls while rows are hidden', () => {
  /** A forgetting that the disk stops before anything of it is removed, tried until it is set aside. */
  async function stopped() {
    const refusing = refusingStore();
    const { memory } = await filled(refusing.store);
    const { nodes } = await graphOf(memory);
    const secret = nodes.fact.filter(({ statement }) => /Quentin|zither|clinic/.test(statement));
    await memory.corrections.editFact(secret[0]!.id, { statement: 'Ann plays the zither and the theremin.' });
    const file = freshPath('.jsonl');
    await memory.exportTo(file);
    await memory.forget({ session: 'secret' });
    refusing.refuse = (changes) => (removesTurns(changes) ? new DiskFullError('memory.db') : null);
    await memory.importFrom(file);
    return { refusing, memory, fact: secret[1]!.id };
  }

  it('a turn in the place of a hidden one is another turn, and stays', async () => {
    const { refusing, memory } = await stopped();
    await memory.search('Oslo');
    const other = { ...SECRET[0]!, content: 'I sold my harpsichord.' };
    expect(await memory.add(other)).toMatchObject({ added: 1 });
    for (let at = 0; at < 3; at++) await memory.flush();
    refusing.refuse = () => null;
    await memory.maintain();
    await memory.flush();
    expect((await memory.search('harpsichord')).episodes[0]?.content).toContain('harpsichord');
    expectWithout(await graphOf(memory), ['zither', 'Quentin', 'clinic']);
  });

  it('a turn that is added after a forgetting of everything stays', async () => {
    const refusing = refusingStore();
    const { memory } = await filled(refusing.store);
    refusing.refuse = (changes) => (isFinalRecord(changes) ? new DiskFullError('memory.db') : null);
    await expect(memory.forget({ all: true })).rejects.toThrow('The rest is hidden');
    await memory.add({ session: 'new', speaker: 'Ann', at: 1e12, content: 'I sold my harpsichord.' });
    refusing.refuse = () => null;
    expect(await memory.maintain()).toMatchObject({ finishedForgetting: 1 });
    expect((await memory.search('harpsichord')).episodes).toHaveLength(1);
    expect(await memory.stats()).toMatchObject({ episode: 1 });
  });

  it('corrections, histories and counts show nothing of it, from the first call on and during retries', async () => {
    const { refusing, memory, fact } = await stopped();
    const { memory: again } = await memoryOver(refusing.store);
    expect((await again.history({ fact }).catch(() => null)) ?? null).toBeNull();
    expect(await again.stats()).toMatchObject({ episode: PLAIN.length });
    const shown = async (of: typeof memory) =>
      JSON.stringify([await of.corrections.list(), await graphOf(of), await of.stats()]);
    for (let at = 0; at < 4; at++) expect(await shown(again)).not.toMatch(/zither|theremin|Quentin/);
    const retry = again.flush();
    for (let at = 0; at < 20; at++) {
      expect(await again.stats()).toMatchObject({ episode: PLAIN.length });
      expect(JSON.stringify((await again.search('zither lessons')).facts)).not.toMatch(/zither|Quentin/);
    }
    await retry;
    refusing.refuse = () => null;
    await again.settle();
    expectWithout(await graphOf(again), ['zither', 'Quentin', 'theremin']);
  });

  it('a later forgetting is not confused with the completion of an earlier one', async () => {
    const refusing = refusingStore();
    const { memory } = await filled(refusing.store);
    refusing.refuse = (changes) => (isFinalRecord(changes) ? new DiskFullError('memory.db') : null);
    await expect(memory.forget({ session: 'secret' })).rejects.toThrow('The rest is hidden');
    for (let at = 0; at < 4; at++)
      await memory.stats().then(() => memory.previewForget({ session: 'plain' }));
    refusing.refuse = () => null;
    await memory.forget({ session: 'plain' });
    await memory.maintain();
    expect(await unfinishedForgettings(refusing.store, memory.name)).toBe(0);
  });
});

it('a recorded forgetting that cannot be parsed is ended with a warning, and blocks nothing', async () => {
  const { store } = refusingStore();
  const { memory } = await filled(store);
  await store.commit(memory.name, {
    nodes: {
      correction: [
        {
          ...{ id: 'damaged' as CorrectionId, kind: 'forget', author: 'Ann', targets: [], detail: '{"tar' },
          ...{ createdAt: 1, finishedAt: null, undoneAt: null },
        },
      ],
    },
  });
  const again = await memoryOver(store);
  expect((await again.memory.search('Oslo')).episodes).not.toEqual([]);
  expect(again.warnings.join()).toContain('cannot be read');
  expect(await unfinishedForgettings(store, memory.name)).toBe(0);
});

describe('one scope that cannot be written', () => {
  it('does not keep others from being saved when memory is closed, and the file is released', async () => {
    const path = freshPath();
    const engine = await Mnemis.open({ path, automatic: false });
    await remember(engine.scope('a'), PLAIN);
    await remember(engine.scope('b'), PLAIN);
    const { stopWork } = ScopeSession.prototype;
    let closed = 0;
    vi.spyOn(ScopeSession.prototype, 'stopWork').mockImplementation(async function (this: ScopeSession) {
      if (this.scope === 'a') throw new DiskFullError(path);
      closed++;
      await stopWork.call(this);
    });
    await expect(engine.close()).rejects.toThrow(DiskFullError);
    expect(closed).toBe(1);
    await using again = await Mnemis.open({ path, automatic: false });
    expect((await again.scope('b').stats()).episode).toBe(PLAIN.length);
  });
});
