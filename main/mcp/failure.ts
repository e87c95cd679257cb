import type { Logger } from '../../src/engine/engine-context.ts';
import { MnemisError } from '../../src/errors/index.ts';
import { placeOf } from '../../src/util/describe-issues.ts';
import { INTERNAL, toWire } from '../client/wire-error.ts';

export interface ToldFailure {
  readonly code: string;
  readonly message: string;
}

/** What a client is told of a failure. One that is not ours may quote anybody's text: what kind it is must do, in the log. */
export function tellFailure(
  error: unknown,
  { what, logger }: { readonly what: string; readonly logger: Logger },
): ToldFailure {
  const told = toWire(error);
  if (told.code === INTERNAL && !MnemisError.isInstance(error))
    logger.warn(`The ${what} failed: ${placeOf(error)}`);
  return told;
}
