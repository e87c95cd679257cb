import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { HoldMeter } from '../../bench/hostile-texts/hold-meter.ts';
import type { TurnCost } from '../../bench/hostile-texts/measure.ts';
import { hostileText, ordinaryProse } from '../../bench/hostile-texts/shapes.ts';
import { Mnemis } from '../../src/engine.ts';
import { LONGEST_READ, MOST_SENTENCES_READ } from '../../src/ingest/extract/defaults.ts';
import { readUpTo } from '../../src/ingest/extract/local/reading-limit.ts';
import { programArguments } from '../child-program.ts';

const run = promisify(execFile);

/** `npm run bench -- hostile-texts` has all shapes in full length. */
const LENGTH = 50_000;
const SHAPES = [
  'sentences with two new names',
  'corrections',
  'emoji',
  'ellipses',
  'one line without spaces',
  'nothing but newlines',
  'code fences',
  'e-mail addresses',
  'ISO dates',
  'CJK without stops',
  'base64',
  'nested quotes',
];
/** Costs of prose and of the shapes. */
async function costsOf(shapes: readonly string[]): Promise<TurnCost[]> {
  const program = programArguments(join(import.meta.dirname, 'long-turn-costs.ts'));
  const { stdout } = await run(process.execPath, [...program, `${LENGTH}`, ...shapes]);
  return JSON.parse(stdout) as TurnCost[];
}

const engine = await Mnemis.open({ path: ':memory:', automatic: false });
afterAll(() => engine.close());

const told = (content: string) => ({ session: 's', speaker: 'Ada', at: '2024-05-06T07:08Z', content });

describe('a long turn of one repeated shape', () => {
  it('is read about as fast as prose, and does not block other work', async () => {
    const [prose, ...costs] = await costsOf(SHAPES);
    const whole = (turn: TurnCost) => turn.add + turn.flush;
    const slow = (cost: TurnCost) =>
      whole(cost) > 8 * whole(prose!) || Math.max(cost.addHold, cost.flushHold) > whole(prose!) / 2;
    expect(costs).toHaveLength(SHAPES.length);
    expect(costs.map((cost, at) => ({ shape: SHAPES[at], ...cost })).filter(slow)).toEqual([]);
  });

  it('is found by the text at its beginning and at its end', async () => {
    const memory = engine.scope('ends');
    const content = `The zeppelin left. ${hostileText('short sentences', 249_900)} The harpsichord came.`;
    await memory.add([told('Good morning, how are you today?'), told(content)]);
    await memory.flush();
    for (const word of ['zeppelin', 'harpsichord']) {
      const { episodes } = await memory.search(word, { k: 1 });
      expect(episodes[0]?.content).toBe(content);
    }
  });
});

describe('the length that is read of a turn', () => {
  it('covers 50,000 characters of prose, and every short turn', async () => {
    const article = ordinaryProse(50_000);
    expect(readUpTo(article)).toBe(article.length);
    const { outcomes } = await engine.scope('whole').add([told(article), told('I moved to Ghent.')]);
    for (const outcome of outcomes) expect(outcome).not.toHaveProperty('readUpTo');
  });

  it('is limited by characters, or by sentences with words', () => {
    expect(readUpTo('a'.repeat(LONGEST_READ + 1))).toBe(LONGEST_READ);
    expect(readUpTo('. '.repeat(LONGEST_READ))).toBe(LONGEST_READ);
    const sentence = 'I moved to Ghent. ';
    expect(readUpTo(sentence.repeat(2 * MOST_SENTENCES_READ))).toBe(
      MOST_SENTENCES_READ * sentence.length - 1,
    );
  });

  it('is reported in the outcome; text beyond it gives no facts', async () => {
    const memory = engine.scope('cut');
    const content = `My sister Yusuf lives in Bruges.\n${'word '.repeat(14_000)}\nMy brother Tomas lives in Ghent.`;
    const { outcomes } = await memory.add(told(content));
    expect(outcomes).toEqual([{ status: 'added', id: expect.any(String), readUpTo: LONGEST_READ }]);
    await memory.flush();
    const { facts } = await memory.search('Where do Yusuf and Tomas live?');
    expect(facts.map(({ statement }) => statement).join(' ')).toMatch(/Yusuf/);
    expect(facts.map(({ statement }) => statement).join(' ')).not.toMatch(/Tomas/);
  });

  it('takes time linear in the text, for every text', () => {
    const meter = new HoldMeter();
    for (const shape of ['emoji', 'joined emoji', 'ellipses', 'exclamation marks', 'nothing but newlines'])
      readUpTo(hostileText(shape, LONGEST_READ));
    const held = meter.take();
    meter.stop();
    expect(held).toBeLessThan(1_000);
  });
});
