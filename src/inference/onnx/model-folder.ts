import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ModelMissingError } from '../../errors/index.ts';
import { filesOf, type ModelProfile, type Precision, TOKENIZER_FILES } from './profile.ts';

/** Where a model's files lie on disk. */
export interface ModelPaths {
  readonly graph: string;
  readonly tokenizer: string;
  readonly config: string;
  readonly all: readonly string[];
}

/**
 * Finds a model's files in a folder that mirrors the repository, or that holds them side by side.
 *
 * @throws ModelMissingError, which names the command that fetches it.
 */
export function findModel(folder: string, profile: ModelProfile, precision: Precision): ModelPaths {
  const found = new Map<string, string>();
  for (const file of filesOf(profile, precision)) {
    const path = [join(folder, file), join(folder, basename(file))].find((candidate) =>
      existsSync(candidate),
    );
    if (path !== undefined) found.set(file, path);
  }
  if (filesOf(profile, precision).some((file) => !found.has(file)))
    throw new ModelMissingError(profile.name, folder);
  const [tokenizer, config] = TOKENIZER_FILES.map((file) => found.get(file)!);
  const graph = found.get(profile.variants[precision]!.files[0])!;
  return { graph, tokenizer: tokenizer!, config: config!, all: [...found.values()] };
}

/** Changes when any of the files does: each one's name, size and time of change. */
export async function stampOf({ all }: ModelPaths): Promise<string> {
  const lines = all.map(async (path) => {
    const { size, mtimeMs } = await stat(path);
    return `${basename(path)} ${size} ${Math.round(mtimeMs)}`;
  });
  return (await Promise.all(lines)).join('\n');
}
