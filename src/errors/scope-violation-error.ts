import { MnemisError } from './mnemis-error.ts';

/** A change named a node that its scope does not hold. */
export class ScopeViolationError extends MnemisError {
  static readonly code = 'scope-violation';

  constructor(what: string) {
    super({ code: ScopeViolationError.code, message: `${what} is not in this scope; nothing was written.` });
  }

  static override isInstance(value: unknown): value is ScopeViolationError {
    return MnemisError.isInstance(value) && value.code === ScopeViolationError.code;
  }
}
