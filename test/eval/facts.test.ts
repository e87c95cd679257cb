import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaseClock } from '../../eval/case-clock.ts';
import type { EvaluationDataset } from '../../eval/datasets/dataset.ts';
import { factsReader } from '../../eval/datasets/facts/facts.ts';
import { evaluateFacts, judgedReport } from '../../eval/evaluate-facts.ts';
import { agreementOf, type FactVerdict, readVerdicts, sharesByScope } from '../../eval/fact-verdicts.ts';
import { goldenShare, readGolden } from '../../eval/golden-facts.ts';
import { type KnownFact, sampleOf } from '../../eval/known-facts.ts';
import { shareOf } from '../../eval/metrics/estimate.ts';
import { Mnemis } from '../../src/engine.ts';
import { FileUnreadableError } from '../../src/errors/index.ts';
import { temporaryFolder } from '../importers/temporary-file.ts';

const LOCOMO_SCOPE = /^conv-\d+\//;

function fact(statement: string, turns: readonly string[] = ['ann/1:1']): KnownFact {
  return { id: `ann/${statement}`, scope: 'ann', statement, from: '2025-05-01', to: null, turns };
}

function verdict(id: string, given: string): FactVerdict {
  const [first, second, third] = [...given].map((letter) => (letter === 'y' ? 'yes' : 'no'));
  return { id, from: '2025-05-01', to: null, true: first!, whole: second!, worth: third! };
}

describe('the chats and statements that facts are judged on', () => {
  it('are three chats of about 120 to 170 turns without a flaw', async () => {
    const { cases, rejected } = await factsReader.readBundled();
    expect(rejected).toEqual([]);
    expect(cases.map(({ scope, turns }) => [scope, turns.length])).toEqual([
      ['dilan', 134],
      ['diary', 117],
      ['bohinj', 169],
    ]);
  });

  it('are 100 statements, 25 of each kind of talk, about turns that exist', async () => {
    const golden = await readGolden();
    const turns = (await factsReader.readBundled()).cases.flatMap((each) => each.turns);
    const known = new Set(turns.map(({ sourceId }) => sourceId));
    expect(golden).toHaveLength(100);
    const ofFriends = golden.filter(({ turns: [first] }) => LOCOMO_SCOPE.test(first!));
    expect(ofFriends).toHaveLength(25);
    expect(ofFriends.filter(({ statement }) => statement !== undefined)).toEqual([]); // no text of that data set
    for (const each of golden.filter((one) => !ofFriends.includes(one))) {
      expect(each.statement).toBeDefined();
      expect(each.turns.filter((turn) => !known.has(turn))).toEqual([]);
    }
  });
});

describe('facts to judge', () => {
  const NAMES = Array.from({ length: 40 }, (_, at) => fact(`Ann knows person ${at}.`));
  const idsOf = (facts: readonly KnownFact[]) => facts.map(({ id }) => id);

  it('are sampled by digest: versions share what both make, another seed draws others', () => {
    const before = idsOf(sampleOf(NAMES, 20, '1'));
    expect(idsOf(sampleOf(NAMES.toReversed(), 20, '1'))).toEqual(before);
    const without = NAMES.filter(({ id }) => id !== before[3]);
    const after = idsOf(sampleOf(without, 20, '1'));
    expect(after.filter((id) => before.includes(id))).toHaveLength(19);
    expect(idsOf(sampleOf(NAMES, 20, '2'))).not.toEqual(before);
  });

  it('come from a memory that read the conversation, with their turns', async () => {
    const turns = ['I live in Ghent.', 'My sister Nora is a nurse.'].map((content, at) => ({
      ...{
        content,
        speaker: 'Ann',
        session: 's',
        index: at,
        at: '2025-05-01T10:00',
        sourceId: `ann/1:${at + 1}`,
      },
    }));
    const dataset: EvaluationDataset = {
      name: 'own',
      cases: [{ scope: 'ann', turns, facts: [], questions: [] }],
      rejected: [],
    };
    const clock = new CaseClock();
    await using engine = await Mnemis.open({ path: ':memory:', clock: clock.now });
    const golden = [
      { turns: ['ann/1:1'], keys: ['Ann', 'Ghent'] },
      { turns: ['ann/1:2'], keys: ['Nora', ['doctor', 'NURSE']] },
      { turns: ['ann/1:1'], keys: ['Nora', 'nurse'] },
      { turns: ['other/1:1'], keys: ['Nora'] },
    ];
    const { report, facts } = await evaluateFacts({ engine, clock, dataset, golden, verdicts: [] });
    expect(facts).toMatchObject([
      { scope: 'ann', from: '2025-05-01', to: null },
      { scope: 'ann', from: '2025-05-01', to: null },
    ]);
    expect(report.facts).toEqual({ ann: 2 });
    expect(report.golden.ann).toMatchObject({ statements: 3, missing: ['ann/1:1'] });
    const verdicts = [
      ...facts.map(({ id, from, to }) => ({ ...verdict(id, 'yny'), from, to })),
      { ...verdict(facts[0]!.id, 'yyy'), from: '2024-05-01' }, // another day: another fact
      verdict('ann/gone', 'yyy'),
      verdict('other/kept', 'nnn'),
    ];
    const [reader] = judgedReport([verdicts], facts).readers;
    expect(reader).toMatchObject({
      gone: 2,
      overall: { judged: 2, true: { mean: 100 }, whole: { mean: 0 }, all: { mean: 0 } },
    });
  });
});

describe('golden statements', () => {
  const kept = (statement: string, keys: (string | string[])[]) =>
    goldenShare([{ turns: ['ann/1:1'], keys }], [fact(statement)]).kept?.mean === 100;

  it('are kept by a fact with the beginnings of all key words, in whatever case and order', () => {
    expect(kept('Ann’s Sister lives in St. Gallen', ['sister', 'live', 'st gallen', 'Ann'])).toBe(true);
    expect(kept('Ann pays 1,650 for the roof', ['1 650', ['shed', 'roof']])).toBe(true);
    expect(kept('Ann dislikes fish', ['like'])).toBe(false);
    expect(kept('Ann has a sister', ['sister', 'nurse'])).toBe(false);
  });
});

describe('verdicts', () => {
  it('of the second reader are on facts of the first, and mostly the same', async () => {
    const files = ['verdicts-first.json', 'verdicts-second.json'];
    const folder = join(import.meta.dirname, '../../eval/datasets/facts');
    const [first, second] = await Promise.all(files.map((file) => readVerdicts(join(folder, file))));
    expect([first!.length, second!.length]).toEqual([351, 105]);
    const { facts, byQuestion } = agreementOf(first!, second!)!;
    expect(facts).toBe(105);
    for (const { kappa } of Object.values(byQuestion)) expect(kappa).toBeGreaterThan(0.4);
  });

  it('are read without the rows that are not judged', async () => {
    using folder = temporaryFolder();
    const rows = [
      { ...verdict('ann/1', 'yyn'), fact: 'Ann is here.', turns: [] },
      { ...verdict('ann/2', 'yyy'), whole: '' },
    ];
    expect(await readVerdicts(folder.json(rows))).toEqual([verdict('ann/1', 'yyn')]);
  });

  it('are refused if a word is neither yes nor no, without the words of the fact', async () => {
    using folder = temporaryFolder();
    const reading = readVerdicts(folder.json([{ ...verdict('ann/1', 'yyn'), true: 'Secret' }]));
    await expect(reading).rejects.toThrow(FileUnreadableError);
    await expect(reading).rejects.not.toThrow('Secret');
  });

  it('are counted over all and by scope', () => {
    const rows = [verdict('ann/1', 'yyy'), verdict('ann/2', 'yny'), verdict('conv/a/1', 'nnn')];
    const { overall, byScope } = sharesByScope(rows);
    expect(overall).toMatchObject({
      judged: 3,
      true: { mean: 66.67 },
      whole: { mean: 33.33 },
      all: { mean: 33.33 },
    });
    expect(Object.keys(byScope)).toEqual(['ann', 'conv/a']);
    expect(byScope['conv/a']).toMatchObject({ judged: 1, true: { mean: 0 } });
  });

  it('of two readers agree by percent and by Cohen’s kappa', () => {
    const first = ['yyy', 'yyy', 'yny', 'nny'].map((given, at) => verdict(`ann/${at}`, given));
    const second = ['yyy', 'yny', 'yny', 'yyy'].map((given, at) => verdict(`ann/${at}`, given));
    expect(agreementOf(first, [...second, verdict('ann/9', 'yyy')])).toEqual({
      facts: 4,
      byQuestion: {
        true: { percent: 75, kappa: 0 },
        whole: { percent: 50, kappa: 0 },
        worth: { percent: 100, kappa: null },
      },
    });
    expect(agreementOf(first, [verdict('ann/9', 'yyy')])).toBeNull();
  });
});

describe('Wilson’s interval', () => {
  it.each([
    [8, 10, { mean: 80, low: 49.02, high: 94.33 }],
    [10, 10, { mean: 100, low: 72.25, high: 100 }],
    [0, 100, { mean: 0, low: 0, high: 3.7 }],
  ])('of %d in %d', (hits, trials, expected) => {
    expect(shareOf(hits, trials)).toEqual(expected);
  });

  it('is null without a trial', () => {
    expect(shareOf(0, 0)).toBeNull();
  });
});
