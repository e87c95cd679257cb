import type { AnswerListener } from '../../src/answer/given-answer.ts';
import { forAnswer } from '../../src/engine/answer.ts';
import type { MemoryView } from '../../src/engine/past/known-indexes.ts';
import { beginQuery, type QuerySettings, runAsk, runSearch } from '../../src/engine/query.ts';
import type { CallOptions } from '../../src/model/call-options.ts';

type Settings = QuerySettings & CallOptions & Pick<AnswerListener, 'onText'>;

/** A search over a view of memory, as the engine runs it. */
export async function searchMemory(view: MemoryView, query: string, { signal, ...settings }: Settings) {
  return runSearch(await beginQuery(view, query, { ...settings, signal }), { signal });
}

/** An answer from a view of memory, as the engine gives it. */
export async function askMemory(view: MemoryView, query: string, { signal, onText, ...settings }: Settings) {
  const asked = { ...forAnswer(query, settings), signal };
  return runAsk(await beginQuery(view, query, asked), { signal, onText });
}
