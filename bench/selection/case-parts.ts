import type { EvaluationCase, EvaluationQuestion } from '../../eval/datasets/dataset.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** The turns of one memory, with the questions that they answer. */
export interface CasePart {
  /** Label in the tables. */
  readonly size: string;
  /** Marks a whole conversation. */
  readonly isWhole: boolean;
  readonly turns: readonly TurnInput[];
  readonly questions: readonly EvaluationQuestion[];
}

/** The first sessions of each conversation, by number; whole conversations; and all conversations as one memory. */
export function* caseParts(cases: readonly EvaluationCase[], sizes: readonly number[]): Generator<CasePart> {
  for (const most of sizes)
    for (const each of cases) if (sessionsOf(each).length > most) yield firstSessions(each, most);
  for (const { turns, questions } of cases)
    yield {
      size: 'all',
      isWhole: true,
      turns,
      questions: questions.filter(({ evidenceTurns }) => evidenceTurns.length > 0),
    };
  if (cases.length > 1) yield union(cases);
}

function firstSessions(each: EvaluationCase, most: number): CasePart {
  const sessions = new Set(sessionsOf(each).slice(0, most));
  const turns = each.turns.filter(({ session = '' }) => sessions.has(session));
  const known = new Set(turns.map(({ sourceId }) => sourceId));
  const isAnswered = ({ evidenceTurns }: EvaluationQuestion) =>
    evidenceTurns.length > 0 && evidenceTurns.every((id) => known.has(id));
  return { size: String(most), isWhole: false, turns, questions: each.questions.filter(isAnswered) };
}

/** Sessions of different conversations have the same names. */
function union(cases: readonly EvaluationCase[]): CasePart {
  return {
    size: `${cases.length} conversations`,
    isWhole: true,
    turns: cases.flatMap(({ scope, turns }) =>
      turns.map((turn) => ({ ...turn, session: `${scope} ${turn.session ?? ''}` })),
    ),
    questions: cases.flatMap(({ questions }) =>
      questions.filter(({ evidenceTurns }) => evidenceTurns.length > 0),
    ),
  };
}

function sessionsOf({ turns }: EvaluationCase): readonly string[] {
  return [...new Set(turns.map(({ session = '' }) => session))];
}

/** Source ids by session and place in it, as JSON. */
export function placesOf(turns: readonly TurnInput[]): ReadonlyMap<string, string> {
  const next = new Map<string, number>();
  return new Map(
    turns.map(({ session = 'main', sourceId = '', index }) => {
      const at = index ?? next.get(session) ?? 0;
      next.set(session, at + 1);
      return [JSON.stringify([session, at]), sourceId];
    }),
  );
}
