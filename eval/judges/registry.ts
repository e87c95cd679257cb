import { UnknownNameError } from '../../src/errors/index.ts';
import { BEAM_JUDGE } from './beam-judge.ts';
import { digestOfTemplate, fileJudge } from './file-judge.ts';
import type { Judge } from './judge.ts';
import { LOCOMO_JUDGE } from './locomo-judge.ts';
import { LONGMEMEVAL_JUDGE } from './longmemeval-judge.ts';
import { OURS } from './ours.ts';

/** The judges that ship with the package, the default first. */
export const JUDGES: readonly Judge[] = [OURS, LOCOMO_JUDGE, LONGMEMEVAL_JUDGE, BEAM_JUDGE];

/** Before the path of a prompt. */
const FILE = 'file:';
/** What `judgeNamed` takes. */
export const JUDGE_NAMES: readonly string[] = [...JUDGES.map(({ name }) => name), `${FILE}PATH`];

/**
 * A judge by its name, or `file:PATH` with a prompt of the caller's.
 *
 * @param pathOf - makes the path absolute. Default: against the working directory of the process.
 * @throws UnknownNameError, which lists the known names; FileUnreadableError.
 */
export async function judgeNamed(name: string, pathOf = (path: string) => path): Promise<Judge> {
  if (name.startsWith(FILE)) return fileJudge(pathOf(name.slice(FILE.length)));
  const judge = JUDGES.find((known) => known.name === name);
  if (judge === undefined) throw new UnknownNameError('judge', name, JUDGE_NAMES);
  return judge;
}

/** Digests of the prompts of those judges that have a file, by name. @throws FileUnreadableError */
export async function digestsOfJudges(
  names: Iterable<string | null>,
  pathOf: (path: string) => string,
): Promise<Record<string, string>> {
  const ofFiles = [...new Set(names)].filter((name) => name?.startsWith(FILE) === true) as string[];
  const digests = ofFiles.map(async (name) => [
    name,
    await digestOfTemplate(pathOf(name.slice(FILE.length))),
  ]);
  return Object.fromEntries(await Promise.all(digests));
}
