import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { describeIssues } from '../../util/describe-issues.ts';

/** What to fetch: files of one repository at one revision, kept under a name of ours. */
export interface ModelSource {
  /** The folder’s name on this machine. */
  readonly name: string;
  /** `owner/name` on the hub. */
  readonly repository: string;
  /** Commit, tag or branch. */
  readonly revision: string;
  /** Paths inside the repository, with forward slashes. */
  readonly files: readonly string[];
}

/** A path that stays inside its folder on every system, and starts with no dot: those names are ours. */
export const safePath = z
  .string()
  .max(400)
  .regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/, 'it must be a relative path of plain names')
  .refine((path) => path.split('/').every((part) => !part.endsWith('.')), 'no name may end with a dot');

export const modelName = z
  .string()
  .max(100)
  .regex(/^[\w-][\w.-]*$/, 'it must be a plain name')
  .refine((name) => !name.endsWith('.'), 'it must not end with a dot');

const sourceSchema = z.object({
  name: modelName,
  repository: z.string().regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)?$/, 'it must be owner/name'),
  revision: safePath,
  files: z.array(safePath).min(1),
});

/** @throws InvalidInputError for names that could lead out of the model’s folder. */
export function checkSource(source: ModelSource): ModelSource {
  const parsed = sourceSchema.safeParse(source);
  if (!parsed.success)
    throw new InvalidInputError(`This model cannot be fetched: ${describeIssues(parsed.error)}`);
  return { ...parsed.data, files: [...new Set(parsed.data.files)] };
}
