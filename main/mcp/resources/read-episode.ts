import { InvalidInputError } from '../../../src/errors/index.ts';
import { isoTime } from '../told-items.ts';
import type { ToolContext } from '../tool-context.ts';

/** A turn as it was said. */
export interface ReadableEpisode {
  readonly id: string;
  readonly session: string;
  /** ISO 8601. */
  readonly saidAt: string;
  readonly content: string;
  readonly speaker: string;
  readonly role: string;
  readonly index: number;
}

/** @throws InvalidInputError when the scope has no such turn. */
export async function readEpisode(
  { client, settings }: ToolContext,
  id: string,
  signal: AbortSignal,
): Promise<ReadableEpisode> {
  const [episode] = await client.episodes({ scope: settings.scope, ids: [id] }, { signal });
  if (episode === undefined) throw new InvalidInputError('There is no such turn in this memory');
  const { session, index, speaker, role, content, validAt } = episode;
  return { id, session, saidAt: isoTime(validAt), content, speaker, role, index };
}
