/** How a turn is read in its conversation; measured in docs/decisions/2026-11-21-a-turn-in-its-conversation.md. */
export interface ConversationWeights {
  /** BM25 saturation and length normalisation of turns. */
  readonly k1: number;
  readonly b: number;
  /** How much the words of a turn count for the first, second … turn after it. */
  readonly forward: readonly number[];
  /** … and for those before it. */
  readonly backward: readonly number[];
  /** A question's words count this much for the turn that asks … */
  readonly ownQuestion: number;
  /** … and this much more for the next turn, which answers. */
  readonly nextQuestion: number;
  /** BM25 of the whole session as one document: its weight and length normalisation. */
  readonly session: number;
  readonly sessionB: number;
}
