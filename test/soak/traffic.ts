import { readFileSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import type { ForgetTarget } from '../../src/model/forget-target.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { type Said, wideSaid } from '../edit/forget/histories.ts';
import { embedder } from '../edit/rederive/local-memory.ts';
import { freshPath } from '../engine/memory-fixture.ts';

/** One call of a program that uses a memory. Picks are taken from the turns of the scope, modulo their number. */
export type Call =
  | { readonly do: 'add'; readonly scope: number; readonly session: number; readonly says: readonly Said[] }
  | { readonly do: 'flush' | 'search' | 'ask' | 'export' | 'maintain' | 'organize'; readonly scope: number }
  | {
      readonly do: 'forget turn' | 'forget session' | 'forget mentioned';
      readonly scope: number;
      readonly pick: number;
    }
  | { readonly do: 'say again'; readonly scope: number; readonly pick: number }
  | { readonly do: 'forget all' | 'delete scope'; readonly scope: number }
  | { readonly do: 'backup' | 'compact' | 'reopen' };

/** Calls of one group are made at the same time, each scope in one of them; the next group waits for all of them. */
export type Traffic = readonly (readonly Call[])[];

const scope = fc.nat({ max: 19 });
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      scope,
      session: fc.nat({ max: 2 }),
      says: fc.array(wideSaid, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom('flush', 'flush', 'search', 'ask', 'export', 'maintain', 'organize'),
      scope,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('forget turn', 'forget turn', 'forget session', 'forget mentioned'),
      scope,
      pick: fc.nat({ max: 50 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('say again' as const), scope, pick: fc.nat({ max: 50 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('forget all', 'delete scope'), scope }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('backup', 'compact', 'reopen') }) },
);

export const traffic: fc.Arbitrary<Traffic> = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), {
  minLength: 10,
  maxLength: 120,
  size: 'max',
});

/** A turn of which memory has told that it is there. */
interface Kept {
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly content: string;
  /** A word of this turn alone. */
  readonly mark: string;
  /** Whether it has a source; else it was said again after a forgetting. */
  readonly isImported: boolean;
}

/**
 * Lets traffic run through an engine over a file, with everything that it does in the background. After each group the
 * scopes that it touched must answer; in the end every scope must hold the turns that were acknowledged and not
 * forgotten, each once, and no word of any other turn, and the file must be sound.
 */
export async function checkTraffic(groups: Traffic): Promise<string> {
  const path = freshPath();
  const world = new World(path);
  await world.open();
  try {
    for (const group of groups) await world.make(group);
    return await world.problems();
  } finally {
    await world.close();
    for (const each of [path, `${path}.wal`]) rmSync(each, { force: true });
    rmSync(`${path}.indexes`, { recursive: true, force: true });
  }
}

/** @throws where the proof finds a remnant. */
async function forgetClean(memory: MemoryScope, target: ForgetTarget): Promise<void> {
  const { proof } = await memory.forget(target);
  if (!proof.clean) throw new Error(`The proof is not clean: ${JSON.stringify(proof.findings)}`);
}

const START = Date.UTC(2025, 0, 6, 9);

class World {
  readonly #path: string;
  #engine: Mnemis | undefined;
  readonly #kept = new Map<string, Kept[]>();
  readonly #gone = new Map<string, Kept[]>();
  #marks = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<void> {
    this.#engine = await Mnemis.open({ path: this.#path, embedder, logger: { warn: () => undefined } });
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }

  async make(group: readonly Call[]): Promise<void> {
    const alone = group.find((each) => !('scope' in each));
    if (alone !== undefined) return this.#makeAlone(alone.do as 'backup' | 'compact' | 'reopen');
    const once = new Map(group.flatMap((each) => ('scope' in each ? [[each.scope, each] as const] : [])));
    await Promise.all([...once.values()].map((each) => this.#make(each)));
    for (const name of once.keys()) await this.#scope(name).search('Where does Ann live?', { k: 3 });
  }

  async #makeAlone(what: 'backup' | 'compact' | 'reopen'): Promise<void> {
    if (what === 'backup') {
      const folder = freshPath('.backup');
      await this.#engine!.backup(folder);
      rmSync(folder, { recursive: true, force: true });
    } else if (what === 'compact') await this.#engine!.compact();
    else {
      await this.close();
      await this.open();
    }
  }

  async #make(call: Extract<Call, { scope: number }>): Promise<void> {
    const memory = this.#scope(call.scope);
    switch (call.do) {
      case 'add':
        return this.#add(memory, call);
      case 'flush':
        await memory.flush();
        return;
      case 'search':
        await memory.search('Who recommended the Najdorf method to whom?');
        return;
      case 'ask':
        await memory.ask('Who is Yusuf?');
        return;
      case 'export':
        this.#export(await this.#exported(memory));
        return;
      case 'maintain':
        await memory.maintain();
        return;
      case 'organize':
        await memory.hierarchy.update();
        return;
      case 'say again':
        return this.#sayAgain(memory, call.pick);
      case 'delete scope':
        return this.#deleteScope(memory);
      default:
        return this.#forget(memory, call);
    }
  }

  async #add(memory: MemoryScope, { session, says }: Extract<Call, { do: 'add' }>): Promise<void> {
    const turns = says.map(({ speaker = 'Ann', content }): TurnInput & { mark: string } => {
      const mark = `ticket${++this.#marks}mark`;
      const at = START + session * 86_400_000 + this.#marks * 60_000;
      return {
        session: `s${session}`,
        sourceId: mark,
        speaker,
        at,
        content: `${content} It is ${mark}.`,
        mark,
      };
    });
    const { outcomes } = await memory.add(turns.map(({ mark: _, ...turn }) => turn));
    const kept = turns.flatMap(({ mark, session: name, speaker, content }, at): Kept[] => {
      const outcome = outcomes[at]!;
      if (outcome.status !== 'added') throw new Error(`A new turn is ${outcome.status}`);
      return [{ id: outcome.id, session: name!, speaker: speaker!, content, mark, isImported: true }];
    });
    this.#kept.set(memory.name, [...(this.#kept.get(memory.name) ?? []), ...kept]);
  }

  /** A person says the words of a forgotten turn: they are heard. */
  async #sayAgain(memory: MemoryScope, pick: number): Promise<void> {
    const gone = this.#gone.get(memory.name) ?? [];
    const turn = gone[pick % Math.max(1, gone.length)];
    if (turn === undefined) return;
    const { session, speaker, content } = turn;
    const { outcomes, notStored } = await memory.add({ session, speaker, content });
    const [outcome] = outcomes;
    if (outcome?.status !== 'added' || notStored.length > 0)
      throw new Error(`A turn that is said again is ${outcome?.status}`);
    this.#gone.set(
      memory.name,
      gone.filter(({ mark }) => mark !== turn.mark),
    );
    const kept = this.#kept.get(memory.name) ?? [];
    this.#kept.set(memory.name, [...kept, { ...turn, id: outcome.id, isImported: false }]);
  }

  async #deleteScope({ name }: MemoryScope): Promise<void> {
    const { proof } = await this.#engine!.deleteScope(name);
    if (!proof.clean) throw new Error(`The proof is not clean: ${JSON.stringify(proof.findings)}`);
    if ((await this.#engine!.scopes()).includes(name)) throw new Error('A deleted scope is still listed');
    this.#kept.delete(name);
    this.#gone.delete(name);
  }

  async #forget(memory: MemoryScope, call: Extract<Call, { scope: number }>): Promise<void> {
    const kept = this.#kept.get(memory.name) ?? [];
    if (call.do === 'forget all') {
      await forgetClean(memory, { all: true });
      this.#remove(memory.name, kept);
      return;
    }
    const picked = 'pick' in call ? kept[call.pick % Math.max(1, kept.length)] : undefined;
    if (picked === undefined) return;
    if (call.do === 'forget session') {
      await forgetClean(memory, { session: picked.session });
      this.#remove(
        memory.name,
        kept.filter(({ session }) => session === picked.session),
      );
    } else if (call.do === 'forget turn') {
      await forgetClean(memory, { episode: picked.id });
      this.#remove(memory.name, [picked]);
    } else {
      const entity = (await memory.search('Yusuf')).entities[0];
      if (entity === undefined) return;
      const { episodes } = await memory.previewForget({ entity: entity.id, episodes: true });
      await forgetClean(memory, { entity: entity.id, episodes: true });
      this.#remove(
        memory.name,
        kept.filter(({ id }) => episodes.includes(id)),
      );
    }
  }

  #remove(name: string, gone: readonly Kept[]): void {
    const marks = new Set(gone.map(({ mark }) => mark));
    this.#kept.set(
      name,
      (this.#kept.get(name) ?? []).filter(({ mark }) => !marks.has(mark)),
    );
    this.#gone.set(name, [...(this.#gone.get(name) ?? []), ...gone]);
  }

  async problems(): Promise<string> {
    const problems: string[] = [];
    const all = new Set([...this.#kept.values()].flat().map(({ mark }) => mark));
    for (const name of await this.#engine!.scopes()) {
      const memory = this.#engine!.scope(name);
      await memory.flush();
      const text = await this.#exported(memory);
      const kept = this.#kept.get(name) ?? [];
      const own = new Set(kept.map(({ mark }) => mark));
      const imported = kept.flatMap(({ mark, isImported }) => (isImported ? [mark] : []));
      const sources = [...text.matchAll(/"sourceId":"(ticket\d+mark)"/g)].map(([, mark]) => mark!);
      if (sources.toSorted().join() !== imported.toSorted().join())
        problems.push(`${name} holds the turns ${sources.join()} instead of ${imported.join()}`);
      const words = new Set(text.match(/ticket\d+mark/g) ?? []);
      const lost = [...own].filter((mark) => !words.has(mark));
      if (lost.length > 0) problems.push(`${name} lost turns that were said again: ${lost.join()}`);
      const left = (this.#gone.get(name) ?? []).map(({ mark }) => mark).filter((mark) => words.has(mark));
      if (left.length > 0) problems.push(`${name} still holds words of forgotten turns: ${left.join()}`);
      const foreign = [...words].filter((mark) => all.has(mark) && !own.has(mark));
      if (foreign.length > 0) problems.push(`${name} holds words of other scopes: ${foreign.join()}`);
      await memory.search('Where does Ann live?');
      await memory.ask('Who is Yusuf?');
    }
    const { sound, findings } = await this.#engine!.verify();
    if (!sound) problems.push(JSON.stringify(findings));
    return problems.join('\n');
  }

  #scope(name: number): MemoryScope {
    return this.#engine!.scope(`scope ${name}`);
  }

  async #exported(memory: MemoryScope): Promise<string> {
    const file = freshPath('.jsonl');
    await memory.exportTo(file);
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    return text;
  }

  #export(text: string): void {
    if (!text.includes('"end"')) throw new Error('An export has no end');
  }
}
