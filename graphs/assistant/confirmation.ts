import { z } from 'zod';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** What a human is shown before something is remembered: the value of the interrupt. */
export interface ConfirmationRequest {
  readonly kind: 'remember';
  readonly scope: string;
  readonly question: string;
  readonly answer: string;
  /** What the run may be resumed with. */
  readonly choices: readonly string[];
  /** Why the last reply could not be taken. */
  readonly problem?: string;
}

const decisionSchema = z.union([
  z.literal('approve').transform(() => ({ action: 'approve' as const })),
  z.literal('decline').transform(() => ({ action: 'decline' as const })),
  z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('approve') }),
    z.strictObject({ action: z.literal('decline') }),
    z.strictObject({
      action: z.literal('edit'),
      question: z.string().min(1).optional(),
      answer: z.string().min(1).optional(),
    }),
  ]),
]);
export type Decision = z.output<typeof decisionSchema>;

export const CHOICES = [
  '"approve"',
  '"decline"',
  '{ "action": "edit", "question": "…", "answer": "…" }, each of the two as it is to be remembered',
] as const;

/** Null for a reply that is none of the choices. */
export function readDecision(reply: unknown): Decision | null {
  return decisionSchema.safeParse(reply).data ?? null;
}

/** The turns as the human wants them. */
export function decidedTurns(
  [question, answer]: readonly [TurnInput, TurnInput],
  decision: Decision,
): readonly TurnInput[] {
  if (decision.action === 'decline') return [];
  if (decision.action === 'approve') return [question, answer];
  return [
    { ...question, content: decision.question ?? question.content },
    { ...answer, content: decision.answer ?? answer.content },
  ];
}
