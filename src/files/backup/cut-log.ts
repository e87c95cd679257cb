import { givenPath } from '../../store/given-path.ts';
import { realPath } from '../../store/memory-file.ts';
import { cutLogAt, openStoreAt } from '../open-store.ts';

/** What is left of a memory whose log was damaged. */
export interface CutLogReport {
  /** Folder with the damaged files as they were. */
  readonly kept: string;
  /** Acknowledged commits that are lost, the newest ones, and how many there were; null if that is not known. */
  readonly lost: { readonly commits: number; readonly of: number } | null;
  /** Whether the log has its full length with other bytes than were written: a value before the break may be wrong. */
  readonly altered: boolean;
  readonly scopes: number;
  /** Turns that the memory holds now. */
  readonly turns: number;
}

interface CutLogOptions {
  /** Whether a copy opens, tried where a crash does no harm. Default: true. */
  readonly opens?: (path: string) => Promise<boolean>;
  readonly clock?: () => number;
}

/**
 * Opens a memory whose log has lost its end or is damaged, up to the break, and says what is lost. The damaged files
 * are kept in a folder beside it.
 *
 * @throws InvalidInputError for a memory without such damage, and what an opening throws: the files are unchanged.
 */
export async function cutLog(
  location: string,
  { opens = async () => true, clock = Date.now }: CutLogOptions = {},
): Promise<CutLogReport> {
  const path = realPath(givenPath(location));
  const time = new Date(clock()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const cut = await cutLogAt(path, { kept: `${path}.damaged-${time}`, opens });
  const store = await openStoreAt(path).catch(async (error: unknown) => {
    await cut.undo();
    throw error;
  });
  try {
    const scopes = await store.scopes();
    let [commits, turns] = [0, 0];
    for (const scope of scopes) {
      commits += (await store.state(scope)).sequence;
      turns += (await store.count(scope)).episode;
    }
    const lost = cut.commits === null ? null : { commits: cut.commits - commits, of: cut.commits };
    return { kept: cut.kept, lost, altered: cut.altered, scopes: scopes.length, turns };
  } finally {
    await store.close();
  }
}
