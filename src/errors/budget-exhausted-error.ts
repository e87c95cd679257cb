import { MnemisError } from './mnemis-error.ts';

/** The token budget of a run does not cover its next model call. */
export class BudgetExhaustedError extends MnemisError {
  static readonly code = 'budget-exhausted';
  readonly limit: number;
  /** Tokens that the run had cost when this call was refused; calls under way may still add to it. */
  readonly spent: number;

  constructor(limit: number, spent: number) {
    super({
      code: BudgetExhaustedError.code,
      message: `The token budget is used up: ${spent} of ${limit} tokens are spent, and the next call does not fit. What was done before is kept; run it again with a new budget to go on.`,
    });
    this.limit = limit;
    this.spent = spent;
  }

  static override isInstance(value: unknown): value is BudgetExhaustedError {
    return MnemisError.isInstance(value) && value.code === BudgetExhaustedError.code;
  }
}
