import { useState } from 'react';
import type { InputOf, MemoryClient } from '../../main/contract.ts';
import { refresh, useClient } from '../state/connection.tsx';
import { SHOWS_MEMORY } from '../state/refresh.ts';
import { reviewText } from '../strings/review-text.ts';
import { text } from '../strings/text.ts';
import type { Decision } from './review-actions.ts';

/** A decision that can be taken back. */
interface Made {
  readonly item: string;
  undo(): Promise<void>;
}

export type Decisions = ReturnType<typeof useDecisions>;

/** Carries out decisions, and takes them back in reverse order. */
export function useDecisions(scope: string) {
  const client = useClient();
  const words = reviewText;
  const [made, setMade] = useState<readonly Made[]>([]);
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [busyWords, setBusyWords] = useState('');
  /** What the last decision did. */
  const [last, setLast] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : text.app.problem);
      return null;
    } finally {
      setBusy(false);
      setBusyWords('');
      refresh(...SHOWS_MEMORY);
    }
  };
  const settle = (item: string) => setSettled((before) => new Set([...before, item]));
  return {
    isBusy,
    busyWords,
    last,
    problem,
    /** Whether the item was decided in this window, and is not undone. */
    isSettled: (item: string) => settled.has(item),
    canUndo: made.length > 0,
    /** False where it failed. */
    decide: async (item: string, decision: Decision) => {
      if (decision.kind === 'retry') {
        setBusyWords(words.retrying);
        const said = await attempt(() => retry(client, scope));
        if (said !== null) setLast(said);
        // What was read goes off the list by itself.
        return false;
      }
      const undo = await attempt(() => carryOut(client, scope, { item, decision }));
      if (undo === null) return false;
      settle(item);
      setMade((before) => [...before, { item, undo }]);
      setLast(decision.kind === 'save' ? words.done.edit : decision.done);
      return true;
    },
    /** The turn of the item was forgotten, for good. */
    forgot: (item: string) => {
      settle(item);
      setLast(words.done.forget);
      refresh(...SHOWS_MEMORY);
    },
    /** The item that is open again; null where there is nothing to undo, or it failed. */
    undo: async () => {
      const decision = made.at(-1);
      if (decision === undefined || isBusy) return null;
      const isDone = await attempt(async () => {
        await decision.undo();
        return true;
      });
      if (isDone === null) return null;
      setMade((before) => before.slice(0, -1));
      setSettled((before) => new Set([...before].filter((item) => item !== decision.item)));
      setLast(words.done.undo);
      return decision.item;
    },
  };
}

interface ToCarryOut {
  readonly item: string;
  readonly decision: Exclude<Decision, { readonly kind: 'retry' }>;
}

/** Returns what takes it back. */
async function carryOut(
  client: MemoryClient,
  scope: string,
  { item, decision }: ToCarryOut,
): Promise<() => Promise<void>> {
  if (decision.kind === 'dismiss') {
    await client.dismissReview({ scope, item });
    return async () => void (await client.dismissReview({ scope, item, isDismissed: false }));
  }
  const corrections: readonly InputOf<'correct'>['correction'][] =
    decision.kind === 'save'
      ? [{ kind: 'edit-fact', fact: decision.fact, patch: { statement: decision.statement } }]
      : decision.corrections;
  const ids: string[] = [];
  const takeBack = async () => {
    // One that cannot be undone stays in the list, so that undo can be tried again.
    for (let id = ids.at(-1); id !== undefined; id = ids.at(-1)) {
      await client.correct({ scope, correction: { kind: 'undo', correction: id } });
      ids.pop();
    }
  };
  try {
    for (const correction of corrections) ids.push((await client.correct({ scope, correction })).correction);
  } catch (error) {
    // Some facts of a turn rejected, and others not, would be a decision that nobody made.
    await takeBack().catch(() => undefined); // the first failure is the one to report
    throw error;
  }
  return takeBack;
}

async function retry(client: MemoryClient, scope: string): Promise<string> {
  const before = (await client.stats({ scope })).enrichment.setAside;
  for await (const event of client.resume({ scope, retry: true })) if (event.type === 'done') break;
  const left = (await client.stats({ scope })).enrichment.setAside;
  return reviewText.done.retry(before - left, left);
}
