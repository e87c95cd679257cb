/** Thrown inside only: a library read the reply itself and kept nothing of it, so that another way to ask is needed. */
export class ReplyThrownAway {}
