import { useCallback, useEffect, useRef, useState } from 'react';
import type { InputOf, MemoryClient } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { messageOf } from '../strings/text.ts';
import { newSide, type Side } from './side.ts';

/** What to ask both sides. */
export interface Question extends Omit<InputOf<'ask'>, 'recipe' | 'traced'> {
  readonly answerer: 'local' | 'llm';
}

export interface Comparison {
  readonly question: Question;
  readonly left: Side;
  readonly right: Side;
}
type SideName = 'left' | 'right';

/** Asks one question with two recipes. Another question cancels the one before it, as leaving the screen does. */
export function useComparison() {
  const client = useClient();
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback(
    async (question: Question, recipes: { readonly left: string; readonly right: string }) => {
      running.current?.abort();
      const stop = new AbortController();
      running.current = stop;
      setComparison({ question, left: newSide(recipes.left), right: newSide(recipes.right) });
      const change = (name: SideName) => (next: (side: Side) => Side) => {
        if (running.current === stop)
          setComparison((earlier) => earlier && { ...earlier, [name]: next(earlier[name]) });
      };
      const ask = (name: SideName) =>
        askSide(
          client,
          { ...question, recipe: recipes[name] },
          { signal: stop.signal, change: change(name) },
        );
      await warmUp(client, question, stop.signal);
      if (question.answerer === 'llm') await Promise.all([ask('left'), ask('right')]);
      else {
        // All of it is work of the engine: side by side, each would count the time of the other.
        await ask('left');
        await ask('right');
      }
      if (running.current === stop) running.current = null;
    },
    [client],
  );
  const cancel = useCallback(() => running.current?.abort(), []);
  const sides = comparison === null ? [] : [comparison.left, comparison.right];
  const isRunning = sides.some(({ state }) => state === 'waiting' || state === 'asking');
  return { comparison, run, cancel, isRunning };
}

/** Loads what the first question to a memory loads, which would be counted as the left side's time. */
async function warmUp(client: MemoryClient, question: Question, signal: AbortSignal): Promise<void> {
  const { scope, asOf, knownAt } = question;
  const times = { ...(asOf !== undefined && { asOf }), ...(knownAt !== undefined && { knownAt }) };
  const asked = { scope, query: question.question, k: 1, recipe: 'system1', ...times };
  await client.search(asked, { signal }).catch(() => undefined); // both sides will say what is wrong
}

interface SideOptions {
  readonly signal: AbortSignal;
  readonly change: (next: (side: Side) => Side) => void;
}

async function askSide(
  client: MemoryClient,
  input: InputOf<'ask'>,
  { signal, change }: SideOptions,
): Promise<void> {
  const stopped = (side: Side): Side => ({ ...side, state: 'stopped' });
  if (signal.aborted) return change(stopped);
  change((side) => ({ ...side, state: 'asking' }));
  try {
    for await (const event of client.ask({ ...input, traced: true }, { signal })) {
      if (event.type === 'found') change((side) => ({ ...side, found: event.result }));
      if (event.type === 'text') change((side) => ({ ...side, text: side.text + event.text }));
      if (event.type === 'answer') {
        const { answer } = event;
        change((side) => ({ ...side, state: 'done', answer, text: answer.text, found: answer.search }));
      }
    }
    if (signal.aborted) change((side) => (side.state === 'done' ? side : stopped(side)));
  } catch (error) {
    const problem = messageOf(error);
    change((side) => (signal.aborted ? stopped(side) : { ...side, state: 'failed', problem }));
  }
}
