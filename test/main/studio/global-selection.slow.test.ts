import type { Checkpoint } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_CITY, reason, StudioLab, TRIPS, type Values } from './studio-lab.ts';

const NODES = ['offer', 'select', 'collect'] as const;
const input = { question: EVERY_CITY };
const RESUME = { command: { resume: true } };
const context = { recipe: 'mnemis', breakpoints: NODES };

interface Stop {
  readonly node: string;
  readonly walk: Values | null;
  readonly checkpoint: Checkpoint;
}

/**
 * LangGraph's breakpoints do not reach the nodes of a subgraph. They stop by themselves where `breakpoints` in the
 * context names them.
 */
describe.skipIf(reason !== null)('Global Selection in Studio', () => {
  let lab: StudioLab;
  let plain: Values;
  beforeAll(async () => {
    lab = await StudioLab.start();
    await lab.run('ingestion', { input: { turns: TRIPS, ended: true } });
    await lab.run('hierarchy', { input: {} });
    plain = await lab.run('retrieval', { input, context: { recipe: 'mnemis' } });
  });
  afterAll(() => lab?.stop());

  /** Where the walk stands; null where the run has ended. */
  const stopOf = async (thread: string): Promise<Stop | null> => {
    const { tasks } = await lab.client.threads.getState<Values>(thread, undefined, { subgraphs: true });
    const task = tasks.find(({ name }) => name === 'system2');
    if (!task?.state) return null;
    expect(task.interrupts.map(({ value }) => value)).toEqual([{ before: task.state.next[0] }]);
    const { values, next, checkpoint } = task.state;
    return { node: next[0]!, walk: (values as Values).walk as Values | null, checkpoint };
  };
  const begun = async (breakpoints: readonly string[] = NODES) => {
    const thread = await lab.thread();
    await lab.run('retrieval', { input, context: { ...context, breakpoints } }, thread);
    return thread;
  };
  const throughAll = async (thread: string) => {
    const nodes: string[] = [];
    for (let stop = await stopOf(thread); stop !== null; stop = await stopOf(thread)) {
      nodes.push(stop.node);
      await resume(thread);
    }
    return nodes;
  };
  const resume = (thread: string) => lab.run('retrieval', RESUME, thread);

  it('stops before each node, and shows what was offered and picked', async () => {
    const thread = await begun();
    const stops: Stop[] = [];
    for (let stop = await stopOf(thread); stop !== null; stop = await stopOf(thread)) {
      stops.push(stop);
      await resume(thread);
    }
    const nodes = stops.map(({ node }) => node);
    expect(nodes.slice(0, 3)).toEqual(['offer', 'select', 'offer']);
    expect(nodes.at(-1)).toBe('collect');
    expect(stops[0]!.walk ?? null).toBeNull();
    expect(stops[1]!.walk).toMatchObject({ offered: { layer: 1, names: ['People', 'Cities'] }, lists: [] });
    expect(stops[2]!.walk).toMatchObject({
      lists: [{ layer: 1, picked: expect.arrayContaining(['Cities*']) }],
    });
    const { values, next } = await lab.state(thread);
    expect(next).toEqual([]);
    expect(values).toMatchObject({ evidence: plain.evidence, answer: plain.answer });
  });

  it.each([
    ['offer', 3],
    ['select', 2],
    ['collect', 1],
  ] as const)('stops before every %s alone', async (node, times) => {
    const thread = await begun([node]);
    expect(await throughAll(thread)).toEqual(Array(times).fill(node));
    expect((await lab.state(thread)).values.evidence).toEqual(plain.evidence);
  });

  it('is not stopped by LangGraph’s own breakpoints', async () => {
    const thread = await lab.thread();
    await lab.run('retrieval', { input, context: { recipe: 'mnemis' }, interruptBefore: [...NODES] }, thread);
    expect((await lab.state(thread)).next).toEqual([]);
  });

  it('walks again from the checkpoint before system2', async () => {
    const thread = await begun(['select']);
    await throughAll(thread);
    const { state, asNode } = await lab.before(thread, 'system2');
    await lab.run('retrieval', { input: null, checkpoint: state.checkpoint }, thread);
    // LangGraph kept the answer to the first interrupt of that checkpoint.
    expect(await throughAll(thread)).toEqual(['select']);
    const fork = await lab.fork(thread, { state, asNode }, { question: EVERY_CITY });
    await lab.run('retrieval', { input: null, checkpoint: fork }, thread);
    expect(await throughAll(thread)).toEqual(['select', 'select']);
    expect((await lab.state(thread)).values.evidence).toEqual(plain.evidence);
  });

  describe('with other picks', () => {
    /** Leaves out what was picked with everything below it. */
    const edited = async (thread: string) => {
      const { walk, checkpoint } = (await stopOf(thread))!;
      const lists = (walk as unknown as { lists: { picks: { all: boolean }[] }[] }).lists.map((list) => ({
        ...list,
        picks: list.picks.filter(({ all }) => !all),
      }));
      await lab.client.threads.updateState(thread, {
        ...{ values: { walk: { ...walk, lists } }, checkpoint, asNode: 'select' },
      });
    };
    const atSecondOffer = async () => {
      const thread = await begun(['offer']);
      await resume(thread);
      return thread;
    };

    it('walks elsewhere when the run is resumed', async () => {
      const thread = await atSecondOffer();
      await edited(thread);
      expect((await stopOf(thread))!.walk).toMatchObject({ lists: [{ picks: [{ all: false }] }] });
      expect(await throughAll(thread)).toEqual(['offer', 'offer']);
      const { routes } = (await lab.state(thread)).values as { routes: Record<string, Values> };
      const [walked, before] = [routes, plain.routes as typeof routes].map(
        (each) => each['1']!.walk as string[],
      );
      expect(before![0]).toBe('layer 1: 2 of 2 picked');
      expect(walked![0]).toBe('layer 1: 1 of 2 picked');
    });

    it('begins again where a run is given the subgraph’s checkpoint in place of a resume', async () => {
      const thread = await atSecondOffer();
      await edited(thread);
      const { checkpoint } = (await stopOf(thread))!;
      await lab.run('retrieval', { input: null, checkpoint }, thread);
      expect((await stopOf(thread))!.walk ?? null).toBeNull();
    });
  });
});
