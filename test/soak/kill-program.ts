/**
 * Run as a process that is killed: does one kind of work after the other to a memory, without end, and prints each
 * before and after it, so that whoever kills it knows what was acknowledged and what was under way.
 * Arguments: path, seed, numbers of the embedders now and, where a move was begun, of the one to go on to (else 0), first new turn,
 * sessions that are there (JSON).
 */
import { writeSync } from 'node:fs';
import { Mnemis } from '../../src/engine.ts';
import { numberedTurns } from '../fixtures/engine/numbered-turns.ts';
import { seededRandom } from '../search/random.ts';
import { embedderOf, silent, WORKS, type Work } from './works.ts';

const [path = '', seed = '0', now = '32', next = '0', first = '0', sessions = '[]'] = process.argv.slice(2);
// Synchronous, so that nothing acknowledged is still in this process when it is killed.
const say = (...words: readonly (string | number)[]) => void writeSync(1, `${words.join(' ')}\n`);
const random = seededRandom(Number(seed));
const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

async function main(): Promise<void> {
  let dimension = Number(now);
  const toMove = Number(next);
  let from = Number(first);
  let live: string[] = JSON.parse(sessions);
  let mnemis = await Mnemis.open({ path, automatic: false, embedder: embedderOf(dimension), logger: silent });
  say('open');
  const works: Readonly<Record<Work, () => Promise<void>>> = {
    add: async () => {
      const turns = numberedTurns(from, 24);
      say('adding', from, turns.length);
      await mnemis.scope('a').add(turns);
      say('added', from, turns.length);
      live.push(...new Set(turns.map(({ session = '' }) => session)));
      from += turns.length;
    },
    flush: async () => void (await mnemis.scope('a').flush()),
    forget: async () => {
      const session = one(live);
      if (session === undefined || live.length < 6) return;
      say('forgetting', session);
      await mnemis.scope('a').forget({ session });
      say('forgot', session);
      live = live.filter((each) => each !== session);
    },
    correct: async () => {
      const { facts } = await mnemis.scope('a').search('Who planted a fern or booked a train?');
      const fact = one(facts);
      if (fact === undefined) return;
      const { corrections } = mnemis.scope('a');
      if (random() < 0.5) await corrections.pinFact(fact.id);
      else await corrections.rejectFact(fact.id);
    },
    compact: async () => {
      await mnemis.compact();
    },
    backup: async () => void (await mnemis.backup(`${path}.backup-${Math.floor(random() * 1e9)}`)),
    reembed: async () => {
      dimension = dimension === 32 ? 48 : 32;
      await mnemis.reembed({ embedder: embedderOf(dimension) });
    },
    hierarchy: async () => {
      const { hierarchy } = mnemis.scope('a');
      for await (const _ of random() < 0.5 ? hierarchy.rebuild() : hierarchy.update());
    },
    close: async () => {
      await mnemis.close();
      mnemis = await Mnemis.open({ path, automatic: false, embedder: embedderOf(dimension), logger: silent });
    },
  };
  const run = async (work: Work) => {
    say('begins', work);
    await works[work]();
    say('ends', work);
  };
  if (toMove > 0) {
    dimension = toMove === 32 ? 48 : 32; // the work goes over to the other one
    await run('reembed');
  }
  if (live.length < 6) await run('add');
  // Each begins somewhere else, so that every kind of work is under way at some of the kills.
  for (let at = Number(seed); ; at += 1) await run(random() < 0.5 ? WORKS[at % WORKS.length]! : one(WORKS)!);
}

main().catch((error: unknown) => {
  writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
