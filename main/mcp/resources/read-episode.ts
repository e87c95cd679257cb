import type { RetrievedEpisode } from '../../../src/model/retrieved-item.ts';
import { isoTime } from '../told-items.ts';
import type { ToolContext } from '../tool-context.ts';

/** A turn as it was said. */
export interface ReadableEpisode {
  readonly id: string;
  readonly session: string;
  /** ISO 8601. */
  readonly saidAt: string;
  readonly content: string;
  /** False where only the beginning of the turn is known here. */
  readonly complete: boolean;
  /** Null where they are not known here. */
  readonly speaker: string | null;
  readonly role: string | null;
  readonly index: number | null;
}

const CUT = '…';
const DEEPEST = 100;

/**
 * The contract has no request for one turn. The preview of forgetting it says that the scope has it, and how it begins;
 * a search for these words finds the rest, unless a newer version has taken its place or a hundred turns begin alike.
 *
 * @throws InvalidInputError when the scope has no such turn.
 */
export async function readEpisode(
  { client, settings: { scope } }: ToolContext,
  id: string,
  signal: AbortSignal,
): Promise<ReadableEpisode> {
  const { examples } = await client.previewForget({ scope, target: { episode: id } }, { signal });
  const example = examples.find((each) => each.id === id);
  const beginning = example?.text ?? '';
  const query = beginning.endsWith(CUT) ? beginning.slice(0, -CUT.length) : beginning;
  const found =
    query === '' ? null : await client.search({ scope, query, k: DEEPEST, recipe: 'system1' }, { signal });
  const whole = found?.episodes.find((each) => each.id === id);
  if (whole !== undefined) return wholly(whole);
  return {
    ...{ id, session: example?.session ?? '', saidAt: example?.at ?? '', content: beginning },
    ...{ complete: false, speaker: null, role: null, index: null },
  };
}

function wholly({ id, session, index, speaker, role, content, validAt }: RetrievedEpisode): ReadableEpisode {
  return { id, session, saidAt: isoTime(validAt), content, complete: true, speaker, role, index };
}
