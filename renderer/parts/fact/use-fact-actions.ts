import { useCallback, useMemo } from 'react';
import { toast } from 'sonner';
import { create } from 'zustand';
import type { CorrectionRecord, FactLine } from '../../../main/contract.ts';
import { refresh, useClient, useReply } from '../../state/connection.tsx';
import { SHOWS_MEMORY } from '../../state/refresh.ts';
import { messageOf, text } from '../../strings/text.ts';
import { openCorrectionsOf } from './open-corrections.ts';

const MOST = 500;

/** A fact that was rejected in this window, so that it can be shown where it was, with a way back. */
export interface Rejected {
  readonly scope: string;
  readonly line: FactLine;
  readonly correction: string;
}

const useRejections = create<{ readonly items: readonly Rejected[] }>()(() => ({ items: [] }));
const keep = (item: Rejected) => useRejections.setState(({ items }) => ({ items: [...items, item] }));
const drop = (correction: string) =>
  useRejections.setState(({ items }) => ({ items: items.filter((item) => item.correction !== correction) }));

type Request =
  | { readonly kind: 'edit-fact'; readonly fact: string; readonly patch: { readonly statement: string } }
  | { readonly kind: 'reject-fact' | 'pin-fact'; readonly fact: string };

/** What a person can do to the facts of a scope. */
export interface FactActions {
  /** Corrections that made the fact what it is and can be undone, the newest first. */
  correctionsOf(fact: string): readonly CorrectionRecord[];
  /** Whether a correction is still in force. */
  isOpen(correction: string): boolean;
  readonly rejected: readonly Rejected[];
  edit(fact: FactLine, statement: string): Promise<boolean>;
  reject(fact: FactLine): Promise<boolean>;
  pin(fact: FactLine): Promise<boolean>;
  undo(correction: string, done?: string): Promise<boolean>;
}

/** Corrections of facts, each with a way back. They tell the person what came of them. */
export function useFactActions(scope: string): FactActions {
  const client = useClient();
  const { data } = useReply('corrections', { scope, limit: MOST });
  const items = useRejections((state) => state.items);
  const undo = useCallback(
    async (correction: string, done: string = text.memory.fact.done.undo) => {
      const isDone = await told(async () => {
        await client.correct({ scope, correction: { kind: 'undo', correction } });
        drop(correction);
        toast(done);
      });
      refresh(...SHOWS_MEMORY);
      return isDone;
    },
    [client, scope],
  );
  const send = useCallback(
    async (request: Request, done: string, onMade?: (correction: string) => void) => {
      const isDone = await told(async () => {
        const { correction } = await client.correct({ scope, correction: request });
        onMade?.(correction);
        toast(done, { action: { label: text.app.undo, onClick: () => void undo(correction) } });
      });
      refresh(...SHOWS_MEMORY);
      return isDone;
    },
    [client, scope, undo],
  );
  return useMemo(() => {
    const { done } = text.memory.fact;
    return {
      correctionsOf: (fact) => openCorrectionsOf(data ?? [], fact),
      isOpen: (correction) =>
        data?.some(({ id, undoneAt }) => id === correction && undoneAt === null) ?? false,
      rejected: items.filter((item) => item.scope === scope),
      edit: ({ id }, statement) => send({ kind: 'edit-fact', fact: id, patch: { statement } }, done.edit),
      reject: (line) =>
        send({ kind: 'reject-fact', fact: line.id }, done.reject, (correction) =>
          keep({ scope, line, correction }),
        ),
      pin: ({ id }) => send({ kind: 'pin-fact', fact: id }, done.pin),
      undo,
    };
  }, [data, items, scope, send, undo]);
}

/** Whether the work was done; what went wrong is told. */
export async function told(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toast.error(messageOf(error));
    return false;
  }
}
