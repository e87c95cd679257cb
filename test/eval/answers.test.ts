import { describe, expect, it } from 'vitest';
import {
  type AnswerResult,
  answersReportSchema,
  buildAnswersReport,
  scoresOf,
  withoutCitations,
} from '../../eval/answers-report.ts';
import { CaseClock } from '../../eval/case-clock.ts';
import type { EvaluationDataset, EvaluationQuestion } from '../../eval/datasets/dataset.ts';
import { type AnswerEvaluation, evaluateAnswers } from '../../eval/evaluate-answers.ts';
import { abstentionAt, abstentionCurve, separation } from '../../eval/metrics/answer-metrics.ts';
import { Mnemis } from '../../src/engine.ts';
import { ModelDeclinedError } from '../../src/errors/index.ts';
import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { FakeLanguageModel, type FakeReply } from '../fakes/language-model/fake-language-model.ts';

const CONFIDENCES = [
  { confidence: 0.9, answerable: true },
  { confidence: 0.4, answerable: true },
  { confidence: 0.5, answerable: false },
  { confidence: 0.1, answerable: false },
];

describe('the abstention curve', () => {
  it('counts answered and abstained questions for every threshold', () => {
    expect(abstentionAt(CONFIDENCES, 0.5)).toEqual({ threshold: 0.5, answered: 50, abstained: 50 });
    expect(abstentionAt(CONFIDENCES, 0.4)).toMatchObject({ answered: 100, abstained: 50 });
    const curve = abstentionCurve(CONFIDENCES);
    expect(curve).toHaveLength(21);
    expect(curve[0]).toEqual({ threshold: 0, answered: 100, abstained: 0 });
    expect(curve.at(-1)).toEqual({ threshold: 1, answered: 0, abstained: 100 });
  });

  it('is null without such questions', () => {
    expect(abstentionAt(CONFIDENCES.slice(0, 2), 0.5)).toMatchObject({ answered: 50, abstained: null });
    expect(separation(CONFIDENCES.slice(0, 2))).toBeNull();
  });

  it('is summarized by how often an answerable question has the higher confidence', () => {
    expect(separation(CONFIDENCES)).toBe(75);
    expect(separation([CONFIDENCES[0]!, { confidence: 0.9, answerable: false }])).toBe(50);
  });
});

describe('scores', () => {
  it('compare words with the gold answer, and abstentions with its absence', () => {
    expect(scoresOf('a grey cat', true, 'grey cat').f1).toBe(1);
    for (const [answered, gold, value] of [
      [false, null, 1],
      [true, null, 0],
      [false, 'cat', 0],
    ] as const)
      expect(scoresOf('x', answered, gold)).toMatchObject({ exactMatch: value, f1: value, rougeL: value });
  });

  it('count the nearest of several golds, each score by itself', () => {
    const scores = scoresOf('O. Brink', true, 'Oda Brink the builder', ['O. Brink', 'Brink']);
    expect(scores).toEqual(scoresOf('O. Brink', true, 'O. Brink'));
    expect(scoresOf('Oda', true, 'x', ['Oda Brink', 'y']).f1).toBeCloseTo(2 / 3);
    expect(scoresOf('x', true, null, ['x']).f1).toBe(0);
  });

  it('ignore citations', () =>
    expect(withoutCitations('Oslo [1] [2], since May [3].')).toBe('Oslo, since May.'));
});

const NO_CONTEXT = {
  tokens: 0,
  sources: { episodes: 0, facts: 0, entities: 0 },
  ...{ turns: [], citedByFacts: [] },
};

function result(category: string, more: Partial<AnswerResult> = {}): AnswerResult {
  const plain = 'cat';
  return {
    question: { id: 'q', text: '?', category, answer: 'cat', evidenceTurns: [], evidenceSessions: [] },
    ...{ answered: true, text: plain, plain, quotes: [], context: NO_CONTEXT },
    ...{ answerer: 'local', confidence: 0.8, notes: [] },
    scores: scoresOf(plain, true, 'cat'),
    ...{
      verdict: null,
      score: null,
      usage: { calls: 1, promptTokens: 100, completionTokens: 10 },
      judgeUsage: NO_USAGE,
    },
    milliseconds: 4,
    ...more,
  };
}

describe('a report on answers', () => {
  const run = {
    dataset: 'locomo',
    recipe: 'system1',
    tier: 'local',
    profile: 'local',
    answerer: 'local',
    model: null,
    judge: null,
    judgeForm: null,
    ingest: { turns: 3, seconds: 1, setAside: 0, usage: NO_USAGE },
  } as const;

  it('covers all questions, each category, and all without category 5', () => {
    const unanswered = {
      answered: false,
      scores: scoresOf('', false, 'cat'),
      verdict: 'declined',
      score: 0,
    } as const;
    const report = buildAnswersReport({
      ...run,
      results: [
        result('1', { verdict: 'right', score: 1 }),
        result('1', unanswered),
        result('5', {
          ...unanswered,
          question: { ...result('5').question, answer: null },
          confidence: 0.1,
          verdict: null,
        }),
        result('10'),
      ],
    });
    expect(report.overall).toMatchObject({ questions: 4, f1: 50, noAnswerRate: 50 });
    expect(report.overall.judge).toEqual({ right: 50, partly: 0, wrong: 0, declined: 50, score: 50 });
    expect(report.withoutCategory5).toMatchObject({ questions: 3, f1: 66.67 });
    expect(Object.keys(report.byCategory)).toEqual(['1', '5', '10']);
    expect(report.abstention).toMatchObject({ answerable: 3, unanswerable: 1, separation: 100 });
    expect(report.perQuestion).toEqual({ promptTokens: 100, completionTokens: 10, p50Ms: 4, p95Ms: 4 });
    expect(report.usage).toEqual({ calls: 4, promptTokens: 400, completionTokens: 40 });
  });

  it('has no figures without questions', () => {
    const report = buildAnswersReport({ ...run, results: [] });
    expect(report.overall).toMatchObject({ questions: 0, f1: null, judge: null, noAnswerRate: null });
    expect(report.perQuestion.p50Ms).toBeNull();
  });
});

const DATASET: EvaluationDataset = {
  name: 'small',
  rejected: [],
  cases: [
    {
      scope: 'a',
      facts: [],
      turns: [
        {
          content: 'I adopted a grey cat.',
          speaker: 'Ana',
          session: 's',
          index: 0,
          at: '2024-01-05',
          sourceId: '1',
        },
        {
          content: 'My kiln arrived on Monday.',
          speaker: 'Ben',
          session: 's',
          index: 1,
          at: '2024-01-05',
          sourceId: '2',
        },
      ],
      questions: [
        ask('1', 'What did Ana adopt?', { answer: 'grey cat', evidenceTurns: ['1'] }),
        ask('2', 'When did the kiln of Ben arrive?', { answer: 'Monday', evidenceTurns: ['2'] }),
        ask('5', 'What did Ben adopt?', { answer: null }),
      ],
    },
  ],
};

function ask(category: string, text: string, more: Partial<EvaluationQuestion>): EvaluationQuestion {
  return { id: text, text, category, answer: null, evidenceTurns: [], evidenceSessions: [], ...more };
}

interface Settings extends Partial<Omit<AnswerEvaluation, 'engine' | 'clock' | 'model'>> {
  /** Answers, if `answerer` is `llm`. */
  readonly model?: LanguageModel;
}

async function evaluate({ model: reader, ...more }: Settings = {}) {
  const clock = new CaseClock();
  await using engine = await Mnemis.open({
    ...{ path: ':memory:', clock: clock.now, profile: 'local' },
    ...(reader && { languageModel: reader }),
  });
  const results: AnswerResult[] = [];
  const onResult = async (each: AnswerResult) => void results.push(each);
  const recipe = recipeNamed('system1');
  const given: AnswerEvaluation = {
    ...{ engine, clock, dataset: DATASET, recipe, answerer: 'local', onResult },
    ...{ model: reader?.name },
    ...more,
  };
  return { report: await evaluateAnswers(given), results };
}

const model = (said: FakeReply) => new FakeLanguageModel(said);

describe('an evaluation of answers', () => {
  it('asks every question, and reports the confidence of each answer', async () => {
    const { report, results } = await evaluate();
    expect(answersReportSchema.parse(report)).toEqual(report);
    expect(report).toMatchObject({
      model: null,
      overall: { questions: 3, judge: null },
      ingest: { turns: 2 },
    });
    expect(results.map(({ answered }) => answered)).toEqual([true, true, false]);
    expect(results[0]?.quotes).toMatchObject([
      { kind: 'fact', text: 'Ana adopted a grey cat.', turns: ['1'] },
    ]);
    expect(report.abstention).toMatchObject({ answerable: 2, unanswerable: 1, separation: 100 });
    expect(report.usage).toEqual(NO_USAGE);
  });

  it('has a language model judge answers that can be right or wrong', async () => {
    const judged: string[] = [];
    const judge = model(({ name, user }) => {
      judged.push(name);
      return { verdict: user.includes('cat') ? 'Right' : 'no idea' };
    });
    const { report } = await evaluate({ judge });
    expect(judged).toEqual(['judge-answer', 'judge-answer']);
    expect(report.overall.judge).toEqual({
      right: 66.67,
      partly: 0,
      wrong: 33.33,
      declined: 0,
      score: 66.67,
    });
    expect(report.byCategory['5']?.judge).toMatchObject({ right: 100 });
    expect(report.judgeUsage.calls).toBe(2);
    expect(report.usage.calls).toBe(0);
  });

  it('answers with a language model', async () => {
    const answerer = model(({ name, user }) => {
      if (name === 'judge-answer') return { verdict: 'right' };
      if (user.includes('Ben adopt')) return 'FAILS\nNOT_ENOUGH';
      return `HOLDS\n${user.includes('adopt?') ? 'grey cat' : 'Monday'} [1]`;
    });
    const { report, results } = await evaluate({ answerer: 'llm', model: answerer, judge: answerer });
    expect(report).toMatchObject({
      abstention: null,
      model: 'fake:model',
      failures: { answerer: 0, judge: 0 },
    });
    expect(report.overall).toMatchObject({ exactMatch: 100, judge: { right: 100 }, noAnswerRate: 33.33 });
    expect(report.usage.calls).toBe(3);
    expect(report.perQuestion.promptTokens).toBeGreaterThan(100);
    expect(results[0]).toMatchObject({ text: 'grey cat [1]', plain: 'grey cat', confidence: null });
  });

  it('counts unreadable replies, and falls back to the local answer', async () => {
    const failing = model(({ name }) => {
      if (name === 'judge-answer') return 'no JSON';
      throw new ModelDeclinedError('fake:model', 'model');
    });
    const { report, results } = await evaluate({ answerer: 'llm', model: failing, judge: failing });
    expect(report.failures).toEqual({ answerer: 3, judge: 2 });
    expect(results[0]).toMatchObject({
      answerer: 'local',
      verdict: null,
      notes: [expect.stringContaining('failed')],
    });
  });

  it('measures gold evidence among the quotes and in the context', async () => {
    const { report } = await evaluate();
    expect(report.overall.quotes).toEqual({
      answerable: 2,
      ...{ evidenceAt1: 100, evidenceAt3: 100, whole: 100, partial: 0, wrong: 0, declined: 0 },
      ...{ unanswerable: 1, unanswerableDeclined: 100 },
    });
    expect(report.overall.context).toMatchObject({ turns: 100, sources: { episodes: 2 } });
    expect(report.overall.context.tokens).toBeGreaterThan(20);
    expect(report.byCategory['5']?.context).toMatchObject({ turns: null, sources: null });
  });

  it('asks at the end of the conversation, or when the question was asked', async () => {
    const days: string[] = [];
    const answerer = model(({ user }) => {
      days.push(/Asked on ([^:]+):/.exec(user)![1]!);
      return 'HOLDS\nMonday [1]';
    });
    const [first] = DATASET.cases;
    const later = ask('1', 'When did the kiln of Ben arrive?', { askedAt: Date.UTC(2024, 1, 2) });
    const cases = [{ ...first!, questions: [...first!.questions.slice(1, 2), later] }];
    await evaluate({ answerer: 'llm', model: answerer, dataset: { ...DATASET, cases } });
    expect(days).toEqual(['Fri 2024-01-05', 'Fri 2024-02-02']);
  });

  it('can be limited to the first questions', async () => {
    expect((await evaluate({ limit: 1 })).report.overall.questions).toBe(1);
  });

  it('stops on a cancel, when the budget is exhausted, and without a required model', async () => {
    await expect(evaluate({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(evaluate({ answerer: 'llm' })).rejects.toMatchObject({ code: 'invalid-input' });
    const [spender, budget] = [model(() => ({})), new TokenBudget(1)];
    await expect(evaluate({ judge: spender, budget })).rejects.toMatchObject({ code: 'budget-exhausted' });
    await expect(
      evaluate({ answerer: 'llm', model: spender, budget: new TokenBudget(1) }),
    ).rejects.toMatchObject({ code: 'budget-exhausted' });
  });
});
