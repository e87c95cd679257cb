import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomConversation } from '../../engine/ingestion/random-conversation.ts';
import { seededRandom } from '../../search/random.ts';
import { reason, StudioLab, type Values } from './studio-lab.ts';
import { towns } from './towns.ts';

const MODES = ['values', 'updates', 'debug', 'custom', 'messages'];
const LARGEST_EVENT = 64_000;
const LARGEST_HISTORY = 20_000;
const TURNS = randomConversation(seededRandom(3), { turns: 1_500, sessions: 40 });
const QUESTION = 'Which cities has Ann moved to or visited, and which pets did she adopt?';

describe.skipIf(reason !== null)('what Studio’s API sends', () => {
  let lab: StudioLab;
  beforeAll(async () => {
    lab = await StudioLab.start();
  });
  afterAll(() => lab?.stop());

  it('about 1,500 turns: small events, none of which repeats the input', async () => {
    const thread = await lab.thread();
    const events = await lab.events(
      'ingestion',
      { input: { turns: TURNS, ended: true }, streamMode: MODES },
      thread,
    );
    const sized = events.map(({ event, data }) => ({ event, text: JSON.stringify(data) }));
    const largest = sized.reduce((a, b) => (a.text.length >= b.text.length ? a : b));
    report(`1,500 turns: ${events.length} events, the largest ${largest.event} ${largest.text.length} bytes`);
    expect(largest.text.length).toBeLessThanOrEqual(LARGEST_EVENT);
    expect(new Set(events.map(({ event }) => event))).toEqual(
      new Set(['metadata', 'values', 'updates', 'debug', 'custom']),
    );
    expect((await lab.state(thread)).values).toMatchObject({ outcomes: { added: 1_500 } });
  });

  it('about a hierarchy: small events', async () => {
    const context = { scope: 'towns' };
    const { entities } = await lab.run('ingestion', { input: { turns: towns(700), ended: true }, context });
    expect(entities).toBeGreaterThan(900);
    const events = await lab.events('hierarchy', { input: { mode: 'rebuild' }, context, streamMode: MODES });
    expect(events.filter(({ event }) => event === 'error')).toEqual([]);
    const largest = Math.max(...events.map(({ data }) => JSON.stringify(data).length));
    const { layers, created, placed, stoppedBy } = events.findLast(({ event }) => event === 'values')!
      .data as Values;
    const steps = events.filter(({ event }) => event === 'updates').length;
    report(`${entities} entities: ${steps} steps, ${created} categories, the largest event ${largest} bytes`);
    expect(stoppedBy).not.toBeNull();
    expect([layers, placed].every((count) => (count as number) > 0)).toBe(true);
    expect(largest).toBeLessThanOrEqual(LARGEST_EVENT);
  });

  it.each(['auto', 'mnemis'])('as the history of one search: %s', async (recipe) => {
    const scope = 'talk';
    await lab.run('ingestion', { input: { turns: TURNS.slice(0, 400), ended: true }, context: { scope } });
    await lab.run('hierarchy', { input: {}, context: { scope } });
    const thread = await lab.thread();
    const { evidence } = await lab.run(
      'retrieval',
      { input: { question: QUESTION }, context: { scope, recipe } },
      thread,
    );
    const lengths = Object.entries(evidence as Record<string, string[]>).map(
      ([kind, ids]) => `${ids.length} ${kind}`,
    );
    const history = await lab.history(thread);
    const bytes = JSON.stringify(history).length;
    report(`${recipe}: history of ${history.length} checkpoints, ${bytes} bytes, ${lengths}`);
    for (const part of ['values', 'tasks', 'metadata', 'checkpoint', 'parent_checkpoint'] as const)
      report(
        `  ${part} ${history.reduce((sum, state) => sum + (JSON.stringify(state[part])?.length ?? 0), 0)}`,
      );
    const channels = new Map<string, number>();
    for (const { values, tasks } of history)
      for (const part of [values, ...tasks.map(({ result }) => (result as Values | null) ?? {})])
        for (const [name, value] of Object.entries(part))
          channels.set(name, (channels.get(name) ?? 0) + JSON.stringify(value).length);
    report(`  ${[...channels].map(([name, size]) => `${name} ${size}`).join(', ')}`);
    expect(bytes).toBeLessThanOrEqual(LARGEST_HISTORY);
  });
});

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}
