import { CancelledError } from '../errors/index.ts';
import type { Episode } from '../model/nodes.ts';
import { breathe } from '../util/breathe.ts';
import { groupBy } from '../util/group-by.ts';
import type { Extraction, Extractor } from './extractor.ts';

/** Turns of one session that are read together, in their order, and what was read from them. */
export interface ExtractedUnit {
  readonly episodes: readonly Episode[];
  readonly extraction: Extraction;
}

/** A longer session is read in parts, so that a cancel and a search get their turn. */
const LONGEST_UNIT = 100;

export async function extractUnits(
  episodes: readonly Episode[],
  extractor: Extractor,
  options: { known: (name: string) => boolean; signal?: AbortSignal | undefined },
): Promise<ExtractedUnit[]> {
  const units: ExtractedUnit[] = [];
  const named = new Set<string>();
  for (const unit of unitsOf(episodes)) {
    if (options.signal?.aborted)
      throw new CancelledError('nothing of this call was stored', options.signal.reason);
    const extraction = await extractor.extract(unit.map(turnToRead), {
      known: (name) => named.has(name.toLowerCase()) || options.known(name),
      signal: options.signal,
    });
    for (const entity of extraction.entities) named.add(entity.name.toLowerCase());
    units.push({ episodes: unit, extraction });
    await breathe();
  }
  return units;
}

function unitsOf(episodes: readonly Episode[]): Episode[][] {
  const sessions = groupBy(episodes, (episode) => episode.session);
  return [...sessions.values()].flatMap((session) => {
    const ordered = session.toSorted((a, b) => a.index - b.index);
    const units: Episode[][] = [];
    for (let start = 0; start < ordered.length; start += LONGEST_UNIT)
      units.push(ordered.slice(start, start + LONGEST_UNIT));
    return units;
  });
}

function turnToRead({ content, speaker, role, validAt, attachments }: Episode) {
  return { content, speaker, role, validAt, attachments };
}
