import type { AnswerListener } from '../../src/answer/given-answer.ts';
import { forAnswer } from '../../src/engine/answer.ts';
import type { MemoryView } from '../../src/engine/history/known-indexes.ts';
import { QuestionInWork, type QuestionSettings } from '../../src/engine/question-in-work.ts';
import type { CallOptions } from '../../src/model/call-options.ts';

type Settings = QuestionSettings & CallOptions & Pick<AnswerListener, 'onText'>;

/** A search over a view of memory, as the engine runs it. */
export async function searchMemory(view: MemoryView, query: string, { signal, ...settings }: Settings) {
  return (await QuestionInWork.begin(view, query, { ...settings, signal })).search({ signal });
}

/** An answer from a view of memory, as the engine gives it. */
export async function askMemory(view: MemoryView, query: string, { signal, onText, ...settings }: Settings) {
  const asked = { ...forAnswer(query, settings), signal };
  return (await QuestionInWork.begin(view, query, asked)).ask({ signal, onText });
}
