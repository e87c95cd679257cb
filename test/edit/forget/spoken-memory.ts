import fc from 'fast-check';
import type { ForgetReport } from '../../../src/edit/forget/forget-event.ts';
import { readScopeRows, type ScopeRows } from '../../../src/edit/rederive/scope-rows.ts';
import { afterRemoval } from '../../../src/engine/forgetting/after-removal.ts';
import { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { ScopeSession } from '../../../src/engine/scope-session.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { EmbeddingSwitch } from '../../../src/inference/embedder/embedding-switch.ts';
import type { ForgetTarget } from '../../../src/model/forget-target.ts';
import type { Episode } from '../../../src/model/nodes.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { stringsIn } from '../../../src/util/collections.ts';
import { embedder, ingest, SCOPE } from '../rederive/local-memory.ts';
import { pickOf } from './deeds.ts';

const START = 1_700_000_000_000;
const MINUTE = 60_000;

/** What somebody does to a memory; picks are taken from what there is at the time, modulo its number. */
export type SpokenStep =
  | { readonly do: 'say'; readonly session: string; readonly speaker: string; readonly says: string }
  | { readonly do: 'say again'; readonly session: string; readonly speaker: string; readonly pick: number }
  | { readonly do: 'correct turn'; readonly pick: number; readonly says: string }
  | { readonly do: 'flush' }
  | {
      readonly do: 'write summary';
      readonly pick: number;
      readonly other: number;
      readonly words: string | null;
    }
  | { readonly do: 'rename'; readonly pick: number; readonly name: string }
  | { readonly do: 'edit fact'; readonly pick: number }
  | { readonly do: 'merge'; readonly pick: number; readonly other: number }
  | { readonly do: 'split'; readonly pick: number; readonly other: number; readonly name: string }
  | { readonly do: 'undo' }
  | { readonly do: 'settle' }
  | {
      readonly do: 'forget';
      readonly what: 'turn' | 'session' | 'entity' | 'entity with turns';
      readonly pick: number;
    };

const SPEAKERS = ['Ann', 'Bob', 'Cleo Marsh'];
const PEOPLE = ['Ann', 'Bob', 'Lena', 'Lena Stone', 'Omar', 'Mr. Blake', 'Rex'];
const PLACES = ['Ghent', 'Lisbon', 'Bruges', 'the harbour clinic'];
const FIRMS = ['Acme', 'Globex'];
const KIN = ['sister', 'teacher', 'uncle'];
const LIKES = ['herring', 'zither music', 'climbing', 'the red tandem'];

const person = fc.constantFrom(...PEOPLE);
const place = fc.constantFrom(...PLACES);
const like = fc.constantFrom(...LIKES);
const kin = fc.constantFrom(...KIN);
const sentence = fc.oneof(
  place.map((where) => `I live in ${where}.`),
  fc.tuple(person, place).map(([who, where]) => `${who} lives in ${where}.`),
  fc.tuple(person, like).map(([who, what]) => `${who} loves ${what}.`),
  fc.tuple(person, person).map(([a, b]) => `${a} visited ${b} yesterday.`),
  fc.tuple(kin, person).map(([of, who]) => `My ${of} is called ${who}.`),
  fc.tuple(kin, place).map(([of, where]) => `My ${of} moved to ${where} last week.`),
  fc.tuple(person, kin, like).map(([who, of, what]) => `${who}'s ${of} hates ${what}.`),
  fc.tuple(person, fc.constantFrom(...FIRMS)).map(([who, firm]) => `${who} works at ${firm} with my uncle.`),
  fc.tuple(person, like).map(([who, what]) => `I met ${who} and we talked about ${what}.`),
  fc.tuple(person, like, place).map(([who, what, where]) => `Ask ${who} about ${what} in ${where}!`),
  like.map((what) => `I no longer like ${what}.`),
  fc.tuple(kin, person).map(([of, who]) => `My ${of} asked about ${who}.`),
  fc.tuple(person, kin).map(([who, of]) => `How is ${who}'s ${of}?`),
  kin.map((of) => `Say hello to my ${of}.`),
  fc.tuple(person, person).map(([a, b]) => `${a} said that ${b} lost the keys.`),
  fc.tuple(kin, person, place).map(([of, who, where]) => `My ${of} ${who} was born in ${where}.`),
  fc.constantFrom('Ok.', 'Thanks!', 'How is she?'),
);
const says = fc.array(sentence, { minLength: 1, maxLength: 2 }).map((all) => all.join(' '));
const session = fc.constantFrom('monday', 'tuesday', 'friday');
const speaker = fc.constantFrom(...SPEAKERS);
const pick = fc.nat({ max: 50 });
const words = fc.option(fc.constantFrom('A friend of the house.', 'Knows everybody.'), { freq: 2 });

/** By weight. */
const step: fc.Arbitrary<SpokenStep> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ do: fc.constant('say' as const), session, speaker, says }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('say again' as const), session, speaker, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct turn' as const), pick, says }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('write summary' as const), pick, other: pick, words }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), pick, name: person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit fact' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const), pick, other: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('split' as const), pick, other: pick, name: person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('forget' as const),
      what: fc.constantFrom('turn', 'session', 'entity', 'entity with turns'),
      pick,
    }),
  },
);

export const spokenHistories = fc.array(step, { minLength: 4, maxLength: 16 });

export interface SpokenOptions {
  /** Whether what rested on what went is derived anew, as in the local tier; the `llm` tier waits. */
  readonly rederives: boolean;
}

/** A memory of the local tier to which such steps are done, and what is wrong with it after each forgetting. */
export class SpokenMemory {
  readonly #store = new InMemoryStore();
  readonly #memory: MemoryScope;
  #now = START;
  #ids = 0;
  readonly #next = new Map<string, number>();
  #correction: string | null = null;
  readonly #gone: Episode[] = [];

  constructor({ rederives }: SpokenOptions) {
    this.#memory = new MemoryScope(
      new ScopeSession(SCOPE, {
        store: this.#store,
        embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
        ingest,
        afterRemoval: rederives ? afterRemoval({ ingest }) : undefined,
        admission: { redactsSecrets: true, neverRemember: null },
        clock: () => ++this.#now,
        newId: () => `${String(++this.#ids).padStart(9, '0')}`,
        logger: { warn: () => undefined },
        snapshotFolder: null,
      }),
    );
  }

  /** What is left of forgotten turns, or found by a proof; empty when all is well. */
  async live(steps: readonly SpokenStep[]): Promise<string[]> {
    await this.#store.setFingerprint(embedder.fingerprint);
    for (const each of steps) {
      this.#now += 10 * MINUTE;
      const report = await this.#do(each);
      if (report === null) continue;
      const problems = [...proofOf(report), ...(await this.remnants())];
      if (problems.length > 0) return [JSON.stringify(each), ...problems];
    }
    await this.#memory.flush();
    return this.remnants();
  }

  rows(): Promise<ScopeRows> {
    return readScopeRows(this.#store, SCOPE);
  }

  get memory(): MemoryScope {
    return this.#memory;
  }

  /** Sentences of forgotten turns that stand in a row although no turn that stays says them. */
  async remnants(): Promise<string[]> {
    const { nodes } = await this.rows();
    const staying = [...nodes.episode.values()].map(({ content }) => keyOf(content));
    const lost = new Set(
      this.#gone.flatMap(({ content }) =>
        content.split(/(?<=[.!?]) /).flatMap((each) => {
          const key = keyOf(each);
          const isSaid = staying.some((text) => text.includes(key));
          return isSaid || key.split(' ').length < 5 ? [] : [key];
        }),
      ),
    );
    const found: string[] = [];
    for (const [kind, rows] of Object.entries(nodes))
      for (const row of rows.values())
        for (const string of stringsIn(row))
          for (const key of lost) if (keyOf(string).includes(key)) found.push(`${kind}: ${key}`);
    return [...new Set(found)];
  }

  async #do(each: SpokenStep): Promise<ForgetReport | null> {
    try {
      return await this.#tryTo(each);
    } catch (error) {
      if (InvalidInputError.isInstance(error)) return null;
      throw error;
    }
  }

  async #tryTo(each: SpokenStep): Promise<ForgetReport | null> {
    const { nodes, edges } = await this.rows();
    const turns = [...nodes.episode.values()].filter(({ expiredAt }) => expiredAt === null);
    const profiles = [...nodes.profile.values()].filter(({ expiredAt }) => expiredAt === null);
    const { corrections } = this.#memory;
    const made = (done: { readonly correction: string }) => {
      this.#correction = done.correction;
      return null;
    };
    switch (each.do) {
      case 'say':
        return this.#say(each);
      case 'say again': {
        const turn = pickOf(turns, each.pick);
        const [how, end] = each.pick % 2 === 0 ? ['You said: "', '"'] : ['', ''];
        return turn === undefined ? null : this.#say({ ...each, says: `${how}${turn.content}${end}` });
      }
      case 'correct turn': {
        const turn = pickOf(turns, each.pick);
        if (turn === undefined) return null;
        const { session, index, speaker, validAt } = turn;
        await this.#memory.add({ session, index, speaker, at: validAt, content: each.says });
        return null;
      }
      case 'flush':
        await this.#memory.flush();
        return null;
      case 'settle':
        await this.#memory.settle();
        return null;
      case 'write summary': {
        const profile = pickOf(profiles, each.pick);
        const summary = each.words ?? pickOf(turns, each.other)?.content;
        if (profile === undefined || summary === undefined) return null;
        return made(await corrections.editProfile(profile.owner as never, { summary }));
      }
      case 'rename': {
        const profile = pickOf(profiles, each.pick);
        if (profile === undefined) return null;
        return made(await corrections.editProfile(profile.owner as never, { name: each.name }));
      }
      case 'edit fact': {
        const fact = pickOf(
          [...nodes.fact.values()].filter(({ expiredAt }) => expiredAt === null),
          each.pick,
        );
        if (fact === undefined) return null;
        return made(await corrections.editFact(fact.id, { statement: 'Ann plays chess.' }));
      }
      case 'merge': {
        const [one, other] = [pickOf(profiles, each.pick), pickOf(profiles, each.other)];
        if (one === undefined || other === undefined || one === other) return null;
        return made(await corrections.mergeEntities(one.owner as never, other.owner as never));
      }
      case 'split': {
        const one = pickOf(profiles, each.pick);
        const mentions = edges.MENTIONS.filter(({ to }) => to === one?.owner).map(({ from }) => from);
        const episode = pickOf(mentions, each.other);
        if (one === undefined || episode === undefined) return null;
        const { name } = each;
        return made(await corrections.splitEntity(one.owner as never, { name, episodes: [episode] }));
      }
      case 'undo':
        if (this.#correction !== null) await corrections.undo(this.#correction);
        this.#correction = null;
        return null;
      case 'forget': {
        const target = targetOf(each, turns, profiles);
        return target === null ? null : this.forget(target);
      }
    }
  }

  async forget(target: ForgetTarget): Promise<ForgetReport> {
    const before = (await this.rows()).nodes.episode;
    const report = await this.#memory.forget(target);
    const after = (await this.rows()).nodes.episode;
    for (const [id, turn] of before) if (!after.has(id)) this.#gone.push(turn);
    return report;
  }

  async #say({ session, speaker, says }: { session: string; speaker: string; says: string }): Promise<null> {
    const index = this.#next.get(session) ?? 0;
    this.#next.set(session, index + 1);
    const at = START + ['monday', 'tuesday', 'friday'].indexOf(session) * 86_400_000 + index * MINUTE;
    await this.#memory.add({ session, speaker, index, at, content: says });
    return null;
  }
}

function targetOf(
  { what, pick }: Extract<SpokenStep, { do: 'forget' }>,
  turns: readonly Episode[],
  profiles: readonly { readonly owner: string }[],
): ForgetTarget | null {
  const turn = pickOf(turns, pick);
  const profile = pickOf(profiles, pick);
  if (what === 'turn') return turn === undefined ? null : { episode: turn.id };
  if (what === 'session') return turn === undefined ? null : { session: turn.session };
  return profile === undefined ? null : { entity: profile.owner, episodes: what === 'entity with turns' };
}

function proofOf({ proof }: ForgetReport): string[] {
  return proof.clean ? [] : [`the proof is not clean: ${JSON.stringify(proof.findings)}`];
}

function keyOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
