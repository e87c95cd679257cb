import { useMemo } from 'react';
import { create } from 'zustand';
import type { CorrectionRecord, FactLine } from '../../../main/contract.ts';
import { useReply } from '../../state/connection.tsx';
import { text } from '../../strings/text.ts';
import { openCorrectionsOf } from './open-corrections.ts';
import { useCorrections } from './use-corrections.ts';

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

/** What a person can do to the facts of a scope. */
export interface FactActions {
  /** Corrections that made the fact what it is and can be undone, the newest first. */
  correctionsOf(fact: string): readonly CorrectionRecord[];
  /** Whether a correction is still in force. */
  isOpen(correction: string): boolean;
  readonly rejected: readonly Rejected[];
  /** False if it failed. */
  edit(fact: FactLine, statement: string): Promise<boolean>;
  reject(fact: FactLine): Promise<void>;
  pin(fact: FactLine): Promise<void>;
  undo(correction: string, done?: string): Promise<boolean>;
}

/** Corrections of facts, each with a way back. They tell the person what came of them. */
export function useFactActions(scope: string): FactActions {
  const { data } = useReply('corrections', { scope, limit: MOST });
  const items = useRejections((state) => state.items);
  const { correct, undo } = useCorrections(scope, drop);
  return useMemo(() => {
    const { done } = text.memory.fact;
    return {
      correctionsOf: (fact) => openCorrectionsOf(data ?? [], fact),
      isOpen: (correction) =>
        data?.some(({ id, undoneAt }) => id === correction && undoneAt === null) ?? false,
      rejected: items.filter((item) => item.scope === scope),
      edit: async ({ id }, statement) =>
        (await correct({ kind: 'edit-fact', fact: id, patch: { statement } }, done.edit)) !== null,
      reject: async (line) => {
        const made = await correct({ kind: 'reject-fact', fact: line.id }, done.reject);
        if (made !== null) keep({ scope, line, correction: made.correction });
      },
      pin: async ({ id }) => void (await correct({ kind: 'pin-fact', fact: id }, done.pin)),
      undo,
    };
  }, [data, items, scope, correct, undo]);
}
