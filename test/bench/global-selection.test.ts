import { beforeAll, describe, expect, it } from 'vitest';
import { askWithLevers } from '../../bench/selection/ask-with-levers.ts';
import { type AskedMemory, type PreparedQuestion, prepare } from '../../bench/selection/asked-question.ts';
import { caseParts, placesOf } from '../../bench/selection/case-parts.ts';
import { DEAREST, LEVERS, leversFor } from '../../bench/selection/levers.ts';
import { LineCounter } from '../../bench/selection/line-counter.ts';
import { heldTokens, PromptPrefixes } from '../../bench/selection/prompt-prefixes.ts';
import { rehearsedPicks } from '../../bench/selection/rehearsed-picks.ts';
import {
  cheapestLevers,
  describeReport,
  type SelectionRow,
  summaryOf,
} from '../../bench/selection/selection-report.ts';
import type { EvaluationCase } from '../../eval/datasets/dataset.ts';
import { HierarchyView } from '../../src/hierarchy/traverse/hierarchy-view.ts';
import { TokenCounter } from '../../src/inference/language-model/tokens/count-tokens.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { type ShownNode, selectNodes } from '../../src/retrieve/categories/select-nodes-prompt.ts';
import { HandMade } from '../browse/history/hand-made.ts';
import { edge, episode } from '../contract/graph-rows.ts';
import { hierarchyRows, TRAVELS } from '../hierarchy/traverse/hand-made-hierarchy.ts';

/** Ann is in most turns, and in none of the evidence by herself. */
const TURNS: readonly (readonly [text: string, entities: readonly string[]])[] = [
  ['Oslo was so cold in winter.', ['Oslo', 'Nora']],
  ['Rome again, what a summer.', ['Rome', 'Nora']],
  ['Rain for a week in Bergen.', ['Bergen']],
  ['Rex bit the postman.', ['Rex']],
  ['Nothing of note, said Nora.', ['Nora']],
];
const asking = (text: string, ...evidenceTurns: string[]) => ({
  ...{ id: text, text, category: '1', answer: null, evidenceTurns, evidenceSessions: ['s'] },
});
const [BARE] = LEVERS;
const row = (name: string) => LEVERS.find((lever) => lever.name === name)!;

/** Loading its vocabulary takes a second. */
const counter = new LineCounter();
let memory: AskedMemory;
const prepared = (text: string, ...evidence: string[]): Promise<PreparedQuestion> =>
  prepare(memory, asking(text, ...evidence), BARE!.route);

beforeAll(async () => {
  const made = new HandMade();
  const rows = hierarchyRows(TRAVELS);
  await made.commit({
    nodes: {
      ...rows.nodes,
      episode: TURNS.map(([content], index) =>
        episode(`t${index}`, { content, index, speaker: 'Nora', session: 's', status: 'extracted' }),
      ),
    },
    relationships: [
      ...rows.relationships!,
      ...TURNS.flatMap(([, entities], at) => entities.map((to) => edge('MENTIONS', `t${at}`, to))),
    ],
  });
  const view = await made.view();
  memory = {
    ...view,
    view: new HierarchyView(view.index, () => true),
    turnOf: new Map(TURNS.map((_, at) => [`t${at}`, view.index.episodes.ids.ordinalOf(`t${at}`)!])),
  };
});

const shown = (...names: readonly string[]): ShownNode[] =>
  names.map((name) => ({ name, tags: [], summary: '', children: [] }));

describe('a rehearsed model', () => {
  it('takes with the oracle what leads to the evidence, beside a fifth of the list', async () => {
    const question = await prepared('Where was it cold?', 't0');
    const nodes = shown('Places', 'Living things', 'Things', 'People');
    const { open, all } = await rehearsedPicks({ nodes, question: 'Where was it cold?' }, question, 'oracle');
    expect([...open, ...all]).toContain('1');
    expect([...open, ...all].length).toBeLessThanOrEqual(2);
    const below = await rehearsedPicks(
      { nodes: shown('Lima', 'Bergen', 'Rome', 'Oslo'), question: 'Where was it cold?' },
      question,
      'oracle',
    );
    expect([...below.open, ...below.all]).toContain('4');
  });

  it('wants speakers only where the question names them', async () => {
    expect((await prepared('Where was it cold?', 't0')).wanted).toEqual(
      new Set(['Oslo', 'Cities', 'Places']),
    );
    const named = await prepared('Where was Nora cold?', 't0');
    expect([...named.wanted].sort()).toEqual(['Cities', 'Friends', 'Nora', 'Oslo', 'People', 'Places']);
  });

  it('goes as a reader by what is shown alone', async () => {
    const question = await prepared('Which hammer is it?', 't0');
    const names = 'Oslo Rome Lima Bergen Rex Luna Milo violin cello flute fern basil rose saw drill'.split(
      ' ',
    );
    const list = (tags: readonly string[]) =>
      shown(...names).map((node) => (node.name === 'rose' ? { ...node, tags } : node));
    const picked = async (tags: readonly string[]) => {
      const input = { nodes: list(tags), question: 'Which hammer is it?' };
      const { open, all } = await rehearsedPicks(input, question, 'reader');
      return [...open, ...all].map((number) => names[Number(number) - 1]);
    };
    expect(await picked(['hammer'])).toContain('rose');
    expect((await picked(['hammer'])).length).toBeLessThanOrEqual(3);
    expect(await picked([])).not.toContain('rose');
  });
});

describe('asking with levers', () => {
  it('counts what a walk takes, and what two questions share', async () => {
    const questions = [
      await prepared('Where was it cold?', 't0'),
      await prepared('Where did it rain?', 't2'),
    ];
    const levers = [BARE!, row('names'), row('names, all in one list')];
    const results = await askWithLevers(memory, questions, { levers, counter });
    expect(results.map(({ rehearsal, lever }) => `${rehearsal} ${lever}`)).toEqual([
      'none local selector',
      ...['oracle', 'reader', 'local'].flatMap((name) => levers.map((lever) => `${name} ${lever.name}`)),
    ]);
    const [unaided, dearest, names, oneList] = results.map(({ all }) => all);
    expect(unaided!.every(({ calls, prompt, shared }) => calls + prompt + shared === 0)).toBe(true);
    for (const all of [dearest!, names!, oneList!]) {
      expect(all.map(({ coverage }) => coverage)).toEqual([1, 1]);
      expect(all[0]!.shared).toBe(0);
      expect(all[1]!.shared).toBeGreaterThan(all[1]!.prompt / 2);
      expect(all[1]!.shared).toBeLessThan(all[1]!.prompt);
    }
    expect(dearest!.map(({ calls }) => calls)).toEqual([3, 3]);
    expect(names![0]!.prompt).toBeLessThan(dearest![0]!.prompt);
    expect(oneList![0]!.calls).toBeLessThan(3);
    const summary = summaryOf(dearest!);
    expect(summary).toMatchObject({ questions: 2, calls: 3, coverage: 100, found: 100 });
    expect(summary.mean).toBeCloseTo((dearest![0]!.prompt + dearest![1]!.prompt) / 2, 0);
  });

  it('lets no speaker stand for evidence', async () => {
    const question = await prepared('What did Nora say of note?', 't4');
    const [, oracle] = await askWithLevers(memory, [question], {
      levers: [BARE!],
      counter,
    });
    expect(oracle).toMatchObject({ rehearsal: 'oracle', all: [{ coverage: 0, found: true }] });
  });
});

describe('counting', () => {
  it('counts line by line what the vocabulary counts at once', async () => {
    const nodes: ShownNode[] = [
      {
        name: 'Cities (big)',
        tags: ['travel', 'visited!'],
        summary: '',
        children: shown('Oslo', '12', 'Ærø'),
      },
      { name: '2022', tags: [], summary: 'A year; it was long…', children: [] },
    ];
    const { system, user } = selectNodes.render({ nodes, question: 'Which cities?\n\n  And when?' });
    const whole = new TokenCounter();
    for (const text of [system, user, `${user}\n\n${user}\n`, '', '\n'])
      for (const _ of [1, 2]) expect(await counter.count(text)).toBe(await whole.count(text));
  });

  it('finds the longest beginning that an earlier prompt had', () => {
    const prefixes = new PromptPrefixes();
    expect(['abcd', 'abxy', 'abcz', 'q'].map((prompt) => prefixes.take(prompt))).toEqual([0, 2, 3, 0]);
  });

  it('holds beginnings in steps, long ones only', () => {
    expect([0, 1_023, 1_024, 1_151, 1_152, 3_000].map(heldTokens)).toEqual([
      0, 0, 1_024, 1_024, 1_152, 2_944,
    ]);
  });
});

describe('parts of a data set', () => {
  const turn = (session: string, sourceId: string): TurnInput => ({
    ...{ at: 0, session, sourceId, content: 'Hi.' },
  });
  const each = (scope: string): EvaluationCase => ({
    ...{
      scope,
      facts: [],
      turns: [turn('s1', `${scope}/1`), turn('s2', `${scope}/2`), turn('s2', `${scope}/3`)],
    },
    questions: [asking('one', `${scope}/1`), asking('both', `${scope}/1`, `${scope}/3`), asking('none')],
  });

  it('asks of first sessions what they answer, and of all conversations with their sessions apart', () => {
    const parts = [...caseParts([each('a'), each('b')], [1, 2])];
    const told = parts.map(({ size, turns, questions }) => [
      size,
      turns.length,
      questions.map(({ text }) => text),
    ]);
    expect(told).toEqual([
      ['1', 1, ['one']],
      ['1', 1, ['one']],
      ['all', 3, ['one', 'both']],
      ['all', 3, ['one', 'both']],
      ['2 conversations', 6, ['one', 'both', 'one', 'both']],
    ]);
    expect(new Set(parts.at(-1)!.turns.map(({ session }) => session)).size).toBe(4);
    expect([...placesOf(parts.at(-1)!.turns)].at(-1)).toEqual([JSON.stringify(['b s2', 1]), 'b/3']);
  });
});

describe('the report', () => {
  const figures = (rehearsal: SelectionRow['rehearsal'], lever: string, more: Partial<SelectionRow>) => ({
    ...{
      size: 'all',
      rehearsal,
      lever,
      questions: 1,
      calls: 3,
      mean: 100,
      p50: 100,
      p90: 120,
      shared: 10,
      held: 0,
    },
    ...{ completion: 5, coverage: 90, recallAt10: 80, found: 100 },
    ...more,
  });
  const rows: SelectionRow[] = (['oracle', 'reader', 'local'] as const).flatMap((rehearsal) => [
    figures(rehearsal, DEAREST, {}),
    figures(rehearsal, 'fine', { mean: 50, coverage: 89 }),
    figures(rehearsal, 'forgetful', { mean: 40, coverage: rehearsal === 'reader' ? 88 : 95 }),
    figures(rehearsal, 'diluting', { mean: 45, recallAt10: rehearsal === 'oracle' ? 70 : 80 }),
  ]);

  it('names the cheapest lever that keeps what the dearest finds with every rehearsal', () => {
    expect(cheapestLevers(rows)).toEqual([
      { size: 'all', keepingCoverage: 'diluting', keepingRecallToo: 'fine' },
    ]);
  });

  it('prints tables', () => {
    const size = {
      size: 'all',
      memories: 2,
      questions: 9,
      turns: 1_234,
      entities: 5,
      categories: 4,
      topNodes: 3,
    };
    const cheapest = cheapestLevers(rows);
    const text = describeReport({ questionsPerMemory: 7, seed: 1, sizes: [size], rows, cheapest });
    expect(text).toContain('| all | 2 | 9 | 1,234 | 5 | 4 | 3 |');
    expect(text).toContain('| reader | forgetful | 3 | 100 | 120 | 40 | 10 | 0 | 5 | 88.0 | 80.0 | 100.0 |');
    expect(text).toContain('| all | diluting | fine |');
  });

  it('asks whole memories with every lever', () => {
    expect(leversFor(true)).toBe(LEVERS);
    expect(new Set(LEVERS.map(({ name }) => name)).size).toBe(LEVERS.length);
    expect(leversFor(false).map(({ name }) => name)).toContain(DEAREST);
    expect(leversFor(false).length).toBeLessThan(LEVERS.length);
  });
});
