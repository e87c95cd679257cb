import type { ImportRecord } from '../../../src/importers/importer.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

/** Which speaker of a file is the user, and what memory calls the user. */
export interface OwnSpeaker {
  readonly speaker: string;
  readonly name: string;
}

/** A turn of a file as memory takes it: the user's have the role and the name of the user, those of others have not. */
export function ownTurn(turn: TurnInput, own: OwnSpeaker | null): TurnInput {
  if (own === null) return turn;
  if (turn.speaker === own.speaker) return { ...turn, speaker: own.name, role: 'user' };
  return turn.role === undefined || turn.role === 'user' ? { ...turn, role: 'other' } : turn;
}

export async function* withOwnTurns(
  records: AsyncIterable<ImportRecord>,
  own: OwnSpeaker | null,
): AsyncGenerator<ImportRecord, void> {
  for await (const record of records)
    yield record.kind === 'turn' ? { ...record, turn: ownTurn(record.turn, own) } : record;
}
