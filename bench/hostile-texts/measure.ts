import { Mnemis } from '../../src/engine.ts';
import { HoldMeter, threadTime } from './hold-meter.ts';
import { hostileText, ordinaryProse } from './shapes.ts';

/** Cost of one turn, in milliseconds of `threadTime`. */
export interface TurnCost {
  readonly characters: number;
  readonly add: number;
  readonly flush: number;
  /** Wall-clock time of both together. */
  readonly passed: number;
  /** The longest time for which the event loop was blocked during each. */
  readonly addHold: number;
  readonly flushHold: number;
}

/** Measures one turn in a new scope, with the default local tier, in memory. */
export async function measureTurn(engine: Mnemis, scope: string, content: string): Promise<TurnCost> {
  const memory = engine.scope(scope);
  const turn = { session: 's', speaker: 'Ada', at: '2024-05-06T07:08Z' };
  await memory.add({ ...turn, content: 'I sold my bicycle to Anna in Bruges yesterday.' });
  await memory.flush();
  const meter = new HoldMeter();
  meter.take();
  const [started, began] = [threadTime(), performance.now()];
  await memory.add({ ...turn, session: 't', content });
  const added = threadTime();
  const addHold = meter.take();
  await memory.flush();
  const [flushed, ended] = [threadTime(), performance.now()];
  const flushHold = meter.take();
  meter.stop();
  return {
    characters: content.length,
    add: added - started,
    flush: flushed - added,
    passed: ended - began,
    addHold,
    flushHold,
  };
}

/** Costs of several turns of a shape, shortest first, each as soon as it is measured. */
export async function measureShape(
  shape: string | null,
  lengths: readonly number[],
  tell: (cost: TurnCost) => void,
): Promise<void> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const textOf = (length: number) => (shape === null ? ordinaryProse(length) : hostileText(shape, length));
  // Warm-up: compiling code and loading models is not measured.
  for (const [at, length] of [2_000, 20_000].entries())
    await measureTurn(engine, `warm ${at}`, ordinaryProse(length));
  for (const length of lengths) tell(await measureTurn(engine, `of ${length}`, textOf(length)));
  await engine.close();
}

/** The same length of several shapes, one after the other in this process, after a warm-up. */
export async function measureWarm(
  shapes: readonly (string | null)[],
  length: number,
  tell: (shape: string | null, cost: TurnCost) => void,
): Promise<void> {
  await measureShape(null, [length], () => undefined);
  for (const shape of shapes) await measureShape(shape, [length], (cost) => tell(shape, cost));
}
