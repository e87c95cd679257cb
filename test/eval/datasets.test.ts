import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EvaluationDataset } from '../../eval/datasets/dataset.ts';
import { readHotpotQaDataset } from '../../eval/datasets/hotpotqa.ts';
import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { readLongMemEvalDataset } from '../../eval/datasets/longmemeval.ts';
import { DATASET_READERS, datasetReaderNamed } from '../../eval/datasets/registry.ts';
import { CancelledError, FileUnreadableError, UnknownNameError } from '../../src/errors/index.ts';
import { factInputSchema } from '../../src/model/fact-input.ts';
import { temporaryFolder } from '../importers/temporary-file.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/importers');
const SHARED_DATA = join(import.meta.dirname, '../../../shared/data');
const REAL_LOCOMO = join(SHARED_DATA, 'locomo/locomo5-dev.json');
const REAL_AUDIT = join(SHARED_DATA, 'locomo/locomo5-dev-audit.json');
const REAL_LONGMEMEVAL = join(SHARED_DATA, 'longmemeval/longmemeval_s-3-dev.json');
const REAL_HOTPOTQA = join(SHARED_DATA, 'multihop/hotpotqa_distractor_100.json');

const questionsOf = (dataset: EvaluationDataset) => dataset.cases.flatMap((each) => each.questions);
const turnCount = (dataset: EvaluationDataset) =>
  dataset.cases.reduce((sum, each) => sum + each.turns.length, 0);
const rejectionsOf = (dataset: EvaluationDataset) =>
  dataset.rejected.map((each) => `${each.where}: ${each.reason}`);

/** Questions by category: all, and those that count towards recall. */
function countsByCategory(dataset: EvaluationDataset): Record<string, [all: number, counted: number]> {
  const counts: Record<string, [number, number]> = {};
  for (const { category, evidenceTurns } of questionsOf(dataset)) {
    counts[category] ??= [0, 0];
    const count = counts[category];
    count[0]++;
    if (evidenceTurns.length > 0) count[1]++;
  }
  return counts;
}

describe('LoCoMo data set', () => {
  const path = join(FIXTURES, 'locomo.json');

  it('has one case per conversation, sessions without a prefix', async () => {
    const dataset = await readLocomoDataset(path);
    expect(dataset.name).toBe('locomo');
    expect(dataset.cases.map(({ scope, turns }) => [scope, turns.length])).toEqual([
      ['conv-1', 6],
      ['conv-2', 1],
    ]);
    expect(dataset.cases[0]?.turns[0]).toMatchObject({ session: 'session_1', sourceId: 'conv-1/D1:1' });
  });

  it('splits, repairs, merges and drops evidence ids', async () => {
    const evidence = questionsOf(await readLocomoDataset(path)).map((question) =>
      question.evidenceTurns.join(' '),
    );
    expect(evidence).toEqual([
      'conv-1/D1:1',
      'conv-1/D1:1 conv-1/D2:1',
      'conv-1/D10:1',
      'conv-1/D1:2 conv-1/D1:3',
      '',
      'conv-1/D1:1',
      'conv-1/D1:1',
    ]);
  });

  it('maps evidence to its sessions', async () => {
    const [, second] = questionsOf(await readLocomoDataset(path));
    expect(second?.evidenceSessions).toEqual(['session_1', 'session_2']);
  });

  it('keeps all categories, and no gold answer for trap questions', async () => {
    const questions = questionsOf(await readLocomoDataset(path));
    expect(questions.map((question) => question.category)).toEqual(['4', '1', '2', '4', '3', '5', '5']);
    expect(questions.map((question) => question.answer)).toEqual([
      'A cat',
      'cat, kiln',
      'Miso',
      '1',
      'Maybe',
      null,
      null,
    ]);
    expect(new Set(questions.map((question) => question.id)).size).toBe(7);
  });

  it('reads observations as facts with their turns', async () => {
    const dataset = await readLocomoDataset(path);
    const facts = dataset.cases[0]!.facts;
    expect(facts).toEqual([
      {
        statement: 'Ana adopted a cat.',
        participants: ['Ana'],
        evidence: [{ source: 'locomo', sourceId: 'conv-1/D1:1' }],
      },
      {
        statement: 'Ana names her pets after food.',
        participants: ['Ana'],
        evidence: ['conv-1/D1:1', 'conv-1/D10:1'].map((sourceId) => ({ source: 'locomo', sourceId })),
      },
    ]);
    for (const fact of facts) expect(factInputSchema.safeParse(fact).success).toBe(true);
    expect(rejectionsOf(dataset)).toEqual([
      'conversation 1, observation 3: names no turn of the conversation',
    ]);
  });

  it('reports invalid entries and keeps the others', async () => {
    using folder = temporaryFolder();
    const conversation = {
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [{ speaker: 'Ana', dia_id: 'D1:1', text: 'Hi.' }, 'secret'],
    };
    const qa = ['secret', { question: 'When?', category: 2, evidence: 'D1:1, D1:2' }, { question: 'Who?' }];
    const observation = { session_1_observation: { Ana: ['secret', ['Ana says hi.', 'D1:1']] } };
    const file = folder.json([
      { sample_id: 'c', conversation, qa, observation },
      { conversation, qa: 'secret' },
      1,
    ]);
    const dataset = await readLocomoDataset(file);
    expect(questionsOf(dataset)).toMatchObject([{ id: 'c/qa1', answer: null, evidenceTurns: ['c/D1:1'] }]);
    expect(dataset.cases.map((each) => each.facts.length)).toEqual([1, 0]);
    expect(rejectionsOf(dataset).map((text) => text.split(':')[0])).toEqual([
      'conversation 1, session 1, turn 2',
      'conversation 1, observation 1',
      'conversation 1, question 1',
      'conversation 1, question 3',
      'conversation 2, session 1, turn 2',
      'conversation 2',
      'conversation 3',
    ]);
    expect(rejectionsOf(dataset).join()).not.toContain('secret');
  });

  it('applies corrections of a gold file by sample and question, and by position for duplicate questions', async () => {
    using folder = temporaryFolder();
    const correction = { sample_id: 'conv-1', correct_answer: 'fixed' };
    const gold = folder.json([
      {
        ...correction,
        question_id: 'locomo_0_qa99',
        question: 'what is the cat called',
        correct_evidence: ['D1:1'],
      },
      {
        ...correction,
        question_id: 'locomo_0_qa6',
        question: 'What did Ana adopt?',
        correct_evidence: ['D10:1; D2:2'],
      },
      { ...correction, question_id: 'locomo_0_qa1', question: 'What happened in May?', correct_evidence: [] },
      { ...correction, question: 'Would Ana like fish?', correct_evidence: null, correct_answer: null },
      { ...correction, question: 'A question of another version?' },
      { ...correction, sample_id: 'conv-9', question: 'A conversation that the file lacks?' },
      'secret',
    ]);
    const dataset = await readLocomoDataset(path, { gold });
    const changed = questionsOf(dataset).map(({ answer, evidenceTurns }) => [
      answer,
      evidenceTurns.join(' '),
    ]);
    expect(changed).toEqual([
      ['A cat', 'conv-1/D1:1'],
      ['fixed', ''],
      ['fixed', 'conv-1/D1:1'],
      ['1', 'conv-1/D1:2 conv-1/D1:3'],
      ['Maybe', ''],
      [null, 'conv-1/D1:1'],
      ['fixed', 'conv-1/D10:1 conv-1/D2:2'],
    ]);
    expect(rejectionsOf(dataset).slice(1)).toEqual([
      'gold file, entry 7: is not an object',
      'gold file, entry 5: the sample has no such question',
    ]);
  });

  it('rejects an invalid gold file, and stops when the signal fires', async () => {
    using folder = temporaryFolder();
    const unreadable = readLocomoDataset(path, { gold: folder.json({}) });
    await expect(unreadable).rejects.toSatisfy(FileUnreadableError.isInstance);
    const aborted = readLocomoDataset(path, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy(CancelledError.isInstance);
  });

  it.skipIf(!existsSync(REAL_LOCOMO))(
    'has 5 conversations, 2,760 turns, 999 questions (skipped without the data)',
    async () => {
      const dataset = await readLocomoDataset(REAL_LOCOMO);
      expect(dataset.rejected).toEqual([]);
      expect(dataset.cases).toHaveLength(5);
      expect(turnCount(dataset)).toBe(2760);
      expect(questionsOf(dataset)).toHaveLength(999);
      expect(countsByCategory(dataset)).toEqual({
        '1': [142, 142],
        '2': [156, 156],
        '3': [46, 44],
        '4': [418, 418],
        '5': [237, 237],
      });
      expect(dataset.cases.reduce((sum, each) => sum + each.facts.length, 0)).toBe(1210);
    },
  );

  it.skipIf(!existsSync(REAL_AUDIT))(
    'applies all 85 corrections of the audit, one of which changes nothing (skipped without the data)',
    async () => {
      const official = questionsOf(await readLocomoDataset(REAL_LOCOMO));
      const audited = await readLocomoDataset(REAL_LOCOMO, { gold: REAL_AUDIT });
      expect(audited.rejected).toEqual([]);
      const changed = questionsOf(audited).filter(
        (question, position) => JSON.stringify(question) !== JSON.stringify(official[position]),
      );
      expect(changed).toHaveLength(84);
      expect(changed.find(({ id }) => id === 'conv-26/qa1')?.evidenceTurns).toEqual(['conv-26/D1:14']);
    },
  );
});

describe('LongMemEval data set', () => {
  const path = join(FIXTURES, 'longmemeval.json');

  it('has one case per question with its haystack, evidence and date', async () => {
    const dataset = await readLongMemEvalDataset(path);
    expect(dataset.cases.map(({ scope, turns }) => [scope, turns.length])).toEqual([
      ['q-1', 5],
      ['q-2_abs', 1],
    ]);
    expect(questionsOf(dataset)[0]).toEqual({
      id: 'q-1',
      text: 'Where did I buy the lamp?',
      category: 'single-session-user',
      askedAt: Date.UTC(2023, 4, 30, 20, 42),
      answer: 'At the flea market',
      evidenceTurns: ['q-1/answer_1:0'],
      evidenceSessions: ['answer_1'],
    });
  });

  it('has no evidence for an unanswerable question, and its reason instead of an answer', async () => {
    expect(questionsOf(await readLongMemEvalDataset(path))[1]).toMatchObject({
      ...{ answer: null, explanation: 'You did not say.' },
      evidenceTurns: [],
      evidenceSessions: [],
    });
  });

  it('includes every copy of a repeated evidence session and drops unreadable evidence', async () => {
    using folder = temporaryFolder();
    const said = { role: 'user', content: 'x', has_answer: true };
    const item = {
      question_id: 'q',
      question: 'Which?',
      haystack_dates: ['2023/05/20', '2023/05/21', 'never'],
      haystack_session_ids: ['s', 's', 's'],
      haystack_sessions: [[said, { role: 'user', content: '', has_answer: true }], [said], [said]],
      answer_session_ids: ['s'],
    };
    const dataset = await readLongMemEvalDataset(folder.json([item, { ...item, question: '' }]));
    expect(questionsOf(dataset)).toMatchObject([
      { category: 'unknown', evidenceTurns: ['q/s:0', 'q/s#2:0'], evidenceSessions: ['s', 's#2'] },
    ]);
    expect(rejectionsOf(dataset).map((text) => text.split(':')[0])).toEqual([
      'question 1, session 1, turn 2',
      'question 1, session 3',
      'question 2',
    ]);
  });

  it.skipIf(!existsSync(REAL_LONGMEMEVAL))(
    'has 3 questions that count (skipped without the data)',
    async () => {
      const dataset = await readLongMemEvalDataset(REAL_LONGMEMEVAL);
      expect(dataset.rejected).toEqual([]);
      expect(turnCount(dataset)).toBe(1629);
      expect(questionsOf(dataset).map((question) => question.evidenceTurns.length)).toEqual([1, 1, 2]);
      expect(questionsOf(dataset).map((question) => question.evidenceSessions.length)).toEqual([1, 1, 1]);
    },
  );
});

describe('HotpotQA data set', () => {
  it('uses the passages of supporting facts as evidence, and reports the chance level', async () => {
    const dataset = await readHotpotQaDataset(join(FIXTURES, 'hotpotqa.json'));
    expect(dataset.note).toContain('50 %');
    expect(questionsOf(dataset)).toEqual([
      {
        id: 'h-1',
        text: 'In which country does the river of Aldern rise?',
        category: 'bridge',
        answer: 'Norland',
        evidenceTurns: ['h-1/0', 'h-1/2'],
        evidenceSessions: ['Aldern', 'Mire (river)'],
      },
    ]);
  });

  it('reads the columns of Hugging Face and skips a question without its facts', async () => {
    using folder = temporaryFolder();
    const item = { id: 'h', question: 'Which?', context: { title: ['A'], sentences: [['One.']] } };
    const facts = { title: ['A', 'A'], sent_id: [0, 1] };
    const dataset = await readHotpotQaDataset(folder.json([{ ...item, supporting_facts: facts }, item]));
    expect(questionsOf(dataset)).toMatchObject([{ evidenceTurns: ['h/0'], category: 'unknown' }]);
    expect(rejectionsOf(dataset)).toEqual(['question 2: supporting_facts: is missing or of the wrong kind']);
  });

  it.skipIf(!existsSync(REAL_HOTPOTQA))(
    'has 100 questions of two passages each (skipped without the data)',
    async () => {
      const dataset = await readHotpotQaDataset(REAL_HOTPOTQA);
      expect(dataset.rejected).toEqual([]);
      expect(turnCount(dataset)).toBe(1000);
      expect(countsByCategory(dataset)).toEqual({ bridge: [85, 85], comparison: [15, 15] });
      expect(new Set(questionsOf(dataset).map((question) => question.evidenceTurns.length))).toEqual(
        new Set([2]),
      );
    },
  );
});

it('registry finds each data set and lists the known names otherwise', () => {
  for (const reader of DATASET_READERS) expect(datasetReaderNamed(reader.name)).toBe(reader);
  expect(() => datasetReaderNamed('squad')).toThrow(expect.toSatisfy(UnknownNameError.isInstance));
});
