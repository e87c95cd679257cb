import {
  ContextTooLongError,
  type MnemisError,
  ModelDeclinedError,
  ModelKeyError,
  ModelQuotaError,
  ModelRequestRefusedError,
  ModelUnavailableError,
  UnknownModelError,
} from '../../../errors/index.ts';
import type { ModelFailure } from './model-failure.ts';

export interface FailureContext {
  readonly model: string;
  readonly address?: string | undefined;
  readonly contextTokens: number | null;
  readonly attempts: number;
}

/** The error for a failure that is not tried again. */
export function failureError(failure: ModelFailure, context: FailureContext): MnemisError {
  const { model, address, contextTokens, attempts } = context;
  switch (failure.kind) {
    case 'unavailable':
      return new ModelUnavailableError(model, { ...failure, address, attempts });
    case 'key':
      return new ModelKeyError(model, 'refused', failure.status);
    case 'quota':
      return new ModelQuotaError(model);
    case 'unknown-model':
      return new UnknownModelError(model);
    case 'context':
      return new ContextTooLongError(model, contextTokens);
    case 'filter':
      return new ModelDeclinedError(model, 'filter');
    case 'refused':
      return new ModelRequestRefusedError(model, failure);
  }
}
