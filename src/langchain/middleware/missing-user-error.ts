import { hasCode, MnemisError } from '../../errors/mnemis-error.ts';

/** A run of an agent does not say whose memory it may read and write. */
export class MissingUserError extends MnemisError {
  static readonly code = 'missing-user';
  static override readonly isInstance = hasCode<MissingUserError>(MissingUserError.code);

  constructor() {
    super({
      code: MissingUserError.code,
      message:
        'The run does not say whose memory it is about, so none was read and nothing was remembered. Name the user with each run: agent.invoke(input, { context: { userId: … } }).',
    });
  }
}
