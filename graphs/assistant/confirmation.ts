import { z } from 'zod';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** The value of the interrupt: what a human sees before something is remembered. */
export interface ConfirmationRequest {
  readonly kind: 'remember';
  readonly scope: string;
  readonly question: string;
  readonly answer: string;
  /** Which of the two texts are remembered on approval; an edited text always is. */
  readonly remembers: readonly ('question' | 'answer')[];
  /** The accepted replies. */
  readonly choices: readonly string[];
  /** Why the previous reply was rejected. */
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
  '{ "action": "edit", "question": "…", "answer": "…" }, each with the text to remember',
] as const;

/** Returns null for a reply that is none of the choices. */
export function readDecision(reply: unknown): Decision | null {
  return decisionSchema.safeParse(reply).data ?? null;
}

/** The turns after the human's decision. The answer is omitted if it need not be remembered and was not edited. */
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
