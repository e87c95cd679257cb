import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { SelfCheckFailedError } from '../../errors/index.ts';
import { readStateFile, writeStateFile } from '../../util/files.ts';
import type { ModelPaths, OpenModel } from './open-model.ts';

/** Lies beside `tokenizer.json`; delete it to repeat the check at the next load. */
export const SELF_CHECK_FILE = 'mnemis-self-check.json';
const fileSchema = z.object({ version: z.literal(1), passed: z.array(z.string()) });
/** Entries that are kept: more than one folder's devices and precisions. */
const REMEMBERED = 16;

/**
 * Checks that the model ranks its profile's sentences in the known order. Random or damaged weights, another
 * model's files, a wrong prefix or pooling and a device that miscalculates fail. A pass is recorded beside
 * the files and holds until they, the device or the profile change.
 *
 * @param check returns per sentence pair whether the order is right.
 * @throws SelfCheckFailedError
 */
export async function selfCheck(model: OpenModel, check: () => Promise<readonly boolean[]>): Promise<void> {
  const path = join(dirname(model.paths.tokenizer), SELF_CHECK_FILE);
  const subject = await subjectOf(model);
  const passed = readStateFile(path, fileSchema)?.passed ?? [];
  if (passed.includes(subject)) return;
  const answers = await check();
  const wrong = answers.filter((right) => !right).length;
  if (wrong > 0) throw new SelfCheckFailedError(model.profile.name, wrong, answers.length);
  // A folder that cannot be written (shared, read-only) is checked at each load.
  writeStateFile(path, { version: 1, passed: [...passed, subject].slice(-REMEMBERED) });
}

async function subjectOf({ profile, precision, device, paths }: OpenModel): Promise<string> {
  const stamp = await stampOf(paths);
  const digest = createHash('sha256')
    .update(`${JSON.stringify(profile)}\n${stamp}`)
    .digest('hex')
    .slice(0, 32);
  return `${precision} ${device} ${digest}`;
}

/** Changes when any of the files does: each one's name, size and time of change. */
async function stampOf({ all }: ModelPaths): Promise<string> {
  const lines = all.map(async (path) => {
    const { size, mtimeMs } = await stat(path);
    return `${basename(path)} ${size} ${Math.round(mtimeMs)}`;
  });
  return (await Promise.all(lines)).join('\n');
}
