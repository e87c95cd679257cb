import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Mnemis } from '../src/index.ts';

/**
 * Prints, as JSON, in how many source files of ours at least one function runs for each call, on a memory of two
 * sessions that has been used before, by V8's coverage.
 */
const FOLDERS = ['src', 'graphs'].map(
  (name) => pathToFileURL(join(import.meta.dirname, '..', name, '/')).href,
);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
const memory = engine.scope('walks');
const turn = (place: number, content: string) => ({
  session: `s${place % 2}`,
  speaker: place % 2 === 0 ? 'Alice' : 'Bob',
  at: Date.UTC(2026, 2, 2 + place),
  content,
});
await memory.add([
  turn(0, 'I adopted a dog yesterday. Her name is Biscuit.'),
  turn(1, 'I moved to Ghent last week, near the canal.'),
]);
await memory.flush();
await memory.ask('Where does Bob live?');
const later = [turn(2, 'My cello teacher is called Joris.'), turn(3, 'We went to Porto in April.')];
const files = {
  add: await filesOf(() => memory.add(later)),
  flush: await filesOf(() => memory.flush()),
  ask: await filesOf(() => memory.ask('When did Alice adopt a dog?')),
  forget: await filesOf(() => memory.forget({ session: 's1' })),
};
process.stdout.write(`${JSON.stringify(files)}\n`);

async function filesOf(call: () => PromiseLike<unknown>): Promise<number> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const ours = result.filter(({ url }) => FOLDERS.some((folder) => url.startsWith(folder)));
  const ran = ours.filter((file) =>
    file.functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
  );
  return ran.length;
}
