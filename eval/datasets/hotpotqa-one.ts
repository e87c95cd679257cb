import { secondsAfter } from '../../src/importers/json/json-format.ts';
import { UniqueNames } from '../../src/importers/unique-names.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import {
  type DatasetOptions,
  type EvaluationDataset,
  type EvaluationQuestion,
  sessionsOf,
} from './dataset.ts';
import { readHotpotQaDataset, WIKIPEDIA_DUMP } from './hotpotqa.ts';
import { isKeptLength } from './passages.ts';

const ALL_NOTE = 'One graph of the passages of all questions, each passage once.';

/** HotpotQA as one case: the passages of all questions, each once, and all questions about them. */
export async function readHotpotQaAsOne(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const { cases, rejected } = await readHotpotQaDataset(path, options);
  return asOne({ name: 'hotpotqa-one', cases, rejected, note: ALL_NOTE });
}

/** As many as PersonalAI takes (Appendix E). */
const QUESTIONS = 2_000;
const GOLD_NOTE = `One graph of the passages that answers need, each once, for at most ${QUESTIONS} questions whose passages have 64 to 1,024 characters: PersonalAI’s Appendix E, whose 3,933 passages of 2,000 questions are these alone.`;

/** The same with the passages that answers need alone, as PersonalAI has them. */
export async function readHotpotQaGold(
  path: string,
  options: DatasetOptions = {},
): Promise<EvaluationDataset> {
  const { cases, rejected } = await readHotpotQaDataset(path, options);
  const needed = cases
    .map((each) => {
      const ids = new Set(each.questions.flatMap(({ evidenceTurns }) => evidenceTurns));
      return { ...each, turns: each.turns.filter(({ sourceId }) => ids.has(sourceId ?? '')) };
    })
    .filter(({ turns }) => turns.length > 0 && turns.every(({ content }) => isKeptLength(content)));
  return asOne({ name: 'hotpotqa-gold', cases: needed.slice(0, QUESTIONS), rejected, note: GOLD_NOTE });
}

function asOne({ cases, ...dataset }: EvaluationDataset): EvaluationDataset {
  const passages = new Map<string, TurnInput>();
  const names = new UniqueNames();
  const stored = (turn: TurnInput): TurnInput => {
    const key = JSON.stringify([turn.speaker, turn.content]);
    const known = passages.get(key);
    if (known !== undefined) return known;
    const session = names.take(turn.speaker ?? '');
    const passage = { ...turn, session, sourceId: session };
    passages.set(key, passage);
    return passage;
  };
  const questions: EvaluationQuestion[] = cases.flatMap(({ turns, questions: asked }) => {
    const once = new Map(turns.map((turn) => [turn.sourceId, stored(turn)]));
    return asked.map((question) => {
      const evidence = question.evidenceTurns.flatMap((id) => once.get(id)?.sourceId ?? []);
      const evidenceTurns = [...new Set(evidence)];
      return { ...question, evidenceTurns, evidenceSessions: sessionsOf([...once.values()], evidenceTurns) };
    });
  });
  const turns = [...passages.values()].map((turn, position) => ({
    ...turn,
    at: secondsAfter(WIKIPEDIA_DUMP, position),
  }));
  const all = { scope: 'hotpotqa', turns, facts: [], questions };
  return { ...dataset, cases: turns.length === 0 ? [] : [all] };
}
