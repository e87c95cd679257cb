import { createHash } from 'node:crypto';
import type { TurnInput } from '../model/turn-input.ts';
import { UniqueNames } from './unique-names.ts';

/**
 * Gives a turn that names neither its place nor an id an id made of what it says, so that importing a file
 * twice, or going on after a break, does not store it twice. Turns that say the same are told apart by count.
 */
export class ImpliedIdentity {
  readonly #names = new UniqueNames();

  complete(turn: TurnInput): TurnInput {
    if (turn.sourceId !== undefined || turn.index !== undefined) return turn;
    return { ...turn, sourceId: this.#names.take(`said:${digest(turn)}`) };
  }
}

function digest({ session, at, speaker, role, content, attachments }: TurnInput): string {
  const said = JSON.stringify([session, at, speaker ?? role, content, attachments]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 22);
}
