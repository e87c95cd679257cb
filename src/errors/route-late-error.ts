import { MnemisError } from './mnemis-error.ts';

/** A retrieval route took longer than it may; the search goes on without it. */
export class RouteLateError extends MnemisError {
  static readonly code = 'route-late';

  constructor(milliseconds: number) {
    super({
      code: RouteLateError.code,
      message: `A retrieval route did not end within ${milliseconds} ms and was left out; what the others found is given. Allow more with routeMilliseconds.`,
    });
  }

  static override isInstance(value: unknown): value is RouteLateError {
    return MnemisError.isInstance(value) && value.code === RouteLateError.code;
  }
}
