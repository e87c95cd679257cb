import { z } from 'zod';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** What a human is shown before something is remembered: the value of the interrupt. */
export interface ConfirmationRequest {
  readonly kind: 'remember';
  readonly scope: string;
  readonly question: string;
  readonly answer: string;
  /** Which of the two would be remembered as they are; an edited one always is. */
  readonly remembers: readonly ('question' | 'answer')[];
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
type Edit = { readonly question?: string | undefined; readonly answer?: string | undefined };

export const CHOICES = [
  '"approve"',
  '"decline"',
  '{ "action": "edit", "question": "…", "answer": "…" }, each of the two as it is to be remembered',
] as const;

/** Null for a reply that is none of the choices. */
export function readDecision(reply: unknown): Decision | null {
  return decisionSchema.safeParse(reply).data ?? null;
}

/** The turns as the human wants them; the answer is left out where it is not worth it and nobody has edited it. */
export function decidedTurns(
  [question, answer]: readonly [TurnInput, TurnInput],
  decision: Decision,
  keepsAnswer: boolean,
): readonly TurnInput[] {
  if (decision.action === 'decline') return [];
  const edited: Edit = decision.action === 'edit' ? decision : {};
  const asked = { ...question, content: edited.question ?? question.content };
  if (!keepsAnswer && edited.answer === undefined) return [asked];
  return [asked, { ...answer, content: edited.answer ?? answer.content }];
}
