import assert, { AssertionError } from 'node:assert/strict';
import { readScopeRows } from '../../../src/edit/rederive/scope-rows.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { DiskFullError, ForgettingStoppedError, InvalidInputError } from '../../../src/errors/index.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { Episode } from '../../../src/model/nodes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { canonical } from '../rederive/canonical-graph.ts';
import { embedder, localMemory, SCOPE } from '../rederive/local-memory.ts';
import { carryOut, type Deed, deedOf, pickOf, placeOf } from './deeds.ts';
import { type History, type Step, turnsOf } from './histories.ts';

const START = 1_700_000_000_000;
/** Sessions lie days apart, so that their turns do not mix. */
const DAY = 86_400_000;
const FORGETTINGS: readonly Step['do'][] = ['forget session', 'forget turns', 'forget one by one'];

/** What was done, in words that hold in any memory of the same turns. */
type Done = { readonly do: 'add'; readonly turns: readonly TurnInput[] } | { readonly do: 'flush' } | Deed;

/** A memory to which a history is done, with a note of it, so that the same can be done without what was forgotten. */
export class LivedMemory {
  readonly #store: GraphStore;
  readonly scope: Scope;
  readonly #failing = { at: 0, late: false, commits: 0 };
  readonly #deeds: (Done & { readonly began: number })[] = [];
  /** When the step under way began: what has ended by then is known to have ended. */
  #began = START;
  /** By the deed. */
  readonly #corrections = new Map<number, string>();
  readonly #nextIndex = new Map<string, number>();
  readonly forgotten = new Set<string>();
  readonly #forgottenTurns: Episode[] = [];
  #toForget: readonly Episode[] | null = null;
  #now = START;
  #ids = 0;
  #memory: MemoryScope;

  #crash: Extract<Step, { do: 'crash' }> | null = null;

  private constructor(store: GraphStore, scope: Scope) {
    this.#store = breaking(store, this.#failing);
    this.scope = scope;
    this.#memory = this.#open();
  }

  static async over(store: GraphStore, scope = SCOPE): Promise<LivedMemory> {
    await store.setFingerprint(embedder.fingerprint);
    return new LivedMemory(store, scope);
  }

  get memory(): MemoryScope {
    return this.#memory;
  }

  /** The base graph up to ids. */
  async graph(): Promise<string[]> {
    return canonical(await readScopeRows(this.#store, this.scope));
  }

  async live(history: History): Promise<void> {
    for (const step of history) await this.take(step);
    await this.end();
  }

  async take(step: Step): Promise<void> {
    this.#begin();
    const crash = this.#crash;
    this.#crash = step.do === 'crash' ? step : null;
    if (step.do === 'crash') return;
    if (crash === null) await this.#do(step);
    else await this.#doBroken(step, crash);
  }

  async end(): Promise<void> {
    this.#begin();
    await this.#do({ do: 'flush' });
  }

  /** That the memory searches, answers, adds and exports. @throws what any of them throws */
  async checkUse(file: string): Promise<void> {
    this.#begin();
    await this.#memory.search('Where does Ann live?', { k: 3 });
    await this.#memory.ask('Who is Yusuf?');
    await this.#do({ do: 'add', session: 'check', says: [{ content: 'Ok.' }] });
    await this.#memory.exportTo(file);
  }

  /** The same history in another memory, without the turns that this one has forgotten. */
  async withoutForgotten(other: LivedMemory): Promise<void> {
    for (const [at, deed] of this.#deeds.entries()) {
      other.#now = deed.began;
      await other.#again(at, deed, this.forgotten);
    }
  }

  /** Breaks off, is opened anew and finished; what was not acknowledged is done again. */
  async #doBroken(step: Step, { commit, late }: { commit: number; late: boolean }): Promise<void> {
    const deeds = this.#deeds.length;
    // Turns are known when they come again; a correction that was carried out would be another one.
    const isRepeatable = ['add', 'correct turn', 'flush', ...FORGETTINGS].includes(step.do);
    Object.assign(this.#failing, { at: commit, late: late && isRepeatable, commits: 0 });
    const failed = await this.#do(step).then(
      () => false,
      (error: unknown) => {
        if (DiskFullError.isInstance(error) || ForgettingStoppedError.isInstance(error)) return true;
        throw error;
      },
    );
    this.#failing.at = 0;
    if (!failed) return;
    this.#deeds.length = deeds;
    this.#memory = this.#open();
    if (this.#toForget === null) return this.#do(step);
    await this.#memory.search('Ann'); // whoever asks finds what was to go gone
    const ids = this.#toForget.map(({ id }) => id);
    const left = await this.#store.get(this.scope, 'episode', ids);
    if (left.length > 0) return this.#forget(this.#toForget);
    this.#noteForgotten(this.#toForget);
  }

  async #do(step: Step): Promise<void> {
    const rows = await readScopeRows(this.#store, this.scope);
    const turns = [...rows.nodes.episode.values()]
      .filter(({ expiredAt }) => expiredAt === null)
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    switch (step.do) {
      case 'add':
        return this.#add(step);
      case 'say again': {
        const turn = pickOf(this.#forgottenTurns, step.pick);
        return turn && this.#add({ session: step.session, says: [turn] });
      }
      case 'correct turn': {
        const turn = pickOf(turns, step.pick);
        if (turn === undefined) return;
        const { session, index, speaker, validAt } = turn;
        const corrected = { session, index, speaker, at: validAt, content: step.says };
        await this.#memory.add(corrected);
        this.#note({ do: 'add', turns: [corrected] });
        return;
      }
      case 'flush':
        await this.#memory.flush();
        this.#note(step);
        return;
      case 'forget session': {
        const session = pickOf([...new Set(turns.map((turn) => turn.session))], step.pick);
        if (session === undefined) return;
        return this.#forget(turns.filter((turn) => turn.session === session));
      }
      case 'forget turns': {
        const chosen = step.picks.flatMap((pick) => pickOf(turns, pick) ?? []);
        return chosen.length === 0 ? undefined : this.#forget(chosen);
      }
      case 'forget one by one': {
        const chosen = new Set(step.picks.flatMap((pick) => pickOf(turns, pick) ?? []));
        for (const turn of chosen) {
          const [left] = await this.#store.get(this.scope, 'episode', [turn.id]);
          if (left !== undefined) await this.#forget([turn]);
        }
        return;
      }
      case 'crash':
        return;
      default: {
        const deed = deedOf(step, rows, [...this.#corrections.keys()]);
        if (deed === null) return;
        const at = this.#deeds.length;
        if (await this.#carryOut(at, deed)) this.#note(deed);
      }
    }
  }

  /** After a crash what was begun is completed by whatever comes next, and what was not is done again. */
  async #forget(turns: readonly Episode[]): Promise<void> {
    this.#toForget = turns;
    const { proof } = await this.#memory.forget({
      episodes: [...new Set(turns.map(({ id }) => id as string))],
    });
    assert.deepEqual(proof.findings, [], 'The proof is not clean');
    this.#noteForgotten(turns);
  }

  #noteForgotten(turns: readonly Episode[]): void {
    for (const turn of turns) this.forgotten.add(placeOf(turn));
    this.#forgottenTurns.push(...turns);
    this.#toForget = null;
  }

  async #add(step: Pick<Extract<Step, { do: 'add' }>, 'session' | 'says'>): Promise<void> {
    const index = this.#nextIndex.get(step.session) ?? 0;
    const day = ['monday', 'tuesday', 'friday', 'check'].indexOf(step.session);
    const added = turnsOf(step, { index, at: START + day * DAY + index * 60_000 });
    const { outcomes } = await this.#memory.add(added);
    assert.ok(outcomes.every(({ status }) => status === 'added' || status === 'known'));
    this.#nextIndex.set(step.session, index + added.length);
    this.#note({ do: 'add', turns: added });
  }

  #begin(): void {
    this.#now += 1_000_000;
    this.#began = this.#now;
  }

  #note(deed: Done): void {
    this.#deeds.push({ ...deed, began: this.#began });
  }

  async #again(at: number, deed: Done, forgotten: ReadonlySet<string>): Promise<void> {
    if (deed.do === 'add') {
      const left = deed.turns.filter((turn) => !forgotten.has(placeOf(turn)));
      if (left.length > 0) await this.#memory.add(left);
    } else if (deed.do === 'flush') await this.#memory.flush();
    else await this.#carryOut(at, deed);
  }

  /** Whether there was something to do it to. */
  async #carryOut(at: number, deed: Deed): Promise<boolean> {
    const { corrections } = this.#memory;
    try {
      if (deed.do === 'undo') {
        const id = this.#corrections.get(deed.deed);
        if (id === undefined) return false;
        await corrections.undo(id);
        return true;
      }
      const give: MemoryScope['addFacts'] = (facts) => this.#memory.addFacts(facts);
      const done = await carryOut({ corrections, give }, deed, await readScopeRows(this.#store, this.scope));
      if (done?.correction !== undefined) this.#corrections.set(at, done.correction);
      return done !== null;
    } catch (error) {
      if (InvalidInputError.isInstance(error)) return false;
      throw error;
    }
  }

  #open(): MemoryScope {
    return localMemory(this.#store, {
      clock: () => ++this.#now,
      newId: () => `${this.scope}${String(++this.#ids).padStart(9, '0')}`,
      scope: this.scope,
      warn: (message) => {
        if (message.includes('was replaced')) throw new AssertionError({ message });
      },
    });
  }
}

function breaking(store: GraphStore, failing: { at: number; late: boolean; commits: number }): GraphStore {
  return new Proxy(store, {
    get(_, name: keyof GraphStore) {
      const method = store[name] as (...input: never[]) => unknown;
      if (name !== 'commit') return typeof method === 'function' ? method.bind(store) : method;
      return async (...input: Parameters<GraphStore['commit']>) => {
        const fails = ++failing.commits === failing.at;
        if (fails && !failing.late) throw new DiskFullError('memory.db');
        const sequence = await store.commit(...input);
        if (fails) throw new DiskFullError('memory.db');
        return sequence;
      };
    },
  });
}
