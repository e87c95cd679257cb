import { z } from 'zod';
import type { TextHolder } from '../edit/proof/text-holder.ts';
import { InvalidInputError } from '../errors/index.ts';
import type { Categorizer } from '../hierarchy/categorizer.ts';
import type { Embedder } from '../inference/embedder.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { NeverRememberRule } from '../ingest/admit/never-remember.ts';
import type { Extractor } from '../ingest/extract/extractor.ts';
import { type IngestProfile, profileSchema } from '../ingest/profile.ts';
import type { Milliseconds } from '../model/ids.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { Logger } from './engine-context.ts';
import { type Retention, retentionSchema } from './maintain/maintain-scope.ts';

/**
 * What a memory is opened with. `path` is enough: the rest is then the local tier, which needs no key, no server and
 * no download. Unknown options, and those that do not fit, are an InvalidInputError.
 */
export interface OpenOptions {
  /** The database file, made with its folder if it is missing; `:memory:` keeps nothing. */
  readonly path: string;
  /**
   * Turns texts into vectors. Default: English word vectors that ship with the package, 256 numbers. Null: none is
   * at hand, and a memory of any embedder opens; counts and exports need none, searches compare words alone, and
   * turns cannot be added.
   */
  readonly embedder?: Embedder | null;
  /**
   * What to do with a memory whose vectors come from another embedder, which need not be at hand any more.
   * `refuse` throws. `words-only` opens it all the same: searches compare words alone until `reembed` has moved it
   * to this embedder. Default `refuse`.
   */
  readonly whenEmbedderDiffers?: 'refuse' | 'words-only';
  /** Reads turns for facts where the profile has a model do it. `createLanguageModel` makes one. */
  readonly languageModel?: LanguageModel;
  /**
   * Reads candidates together with the question, where the recipe says so (`openReranker` makes one). Default: none, the
   * routes' own ranks decide.
   */
  readonly reranker?: Reranker;
  /**
   * How turns become entities and facts: the name of an ingest profile, or one of your own. Default: `default` with a
   * language model, `local` without.
   */
  readonly profile?: string | IngestProfile;
  /**
   * Whether turns are consolidated without being asked to: when a topic is complete, and in the local tier at `close`.
   * Else only `flush`, `resume` and `import` do it. Default true.
   */
  readonly automatic?: boolean;
  /** Reads entities and facts from turns in the local tier. Default: Mnemis's own. */
  readonly extractor?: Extractor;
  /** Groups entities into categories. Default: what the profile says, by rules or by the language model. */
  readonly categorizer?: Categorizer;
  /**
   * Whether keys, card numbers, passwords and the like are blacked out of turns before they are stored; `add` says of
   * which kinds it found some. Default true.
   */
  readonly redactSecrets?: boolean;
  /**
   * Turns and facts with one of these phrases (whole words, whatever their case) or matches are rejected, and nothing
   * of them is stored. At most 200.
   */
  readonly neverRemember?: readonly NeverRememberRule[];
  /** How long turns are kept; `maintain` goes by it. Default: for ever. */
  readonly retention?: Retention;
  /**
   * Places beside the memory that hold text of users, such as the checkpoints of an assistant (`checkpointHolder`): the
   * proof of `forget` looks into them too, and names them where a forgotten text is still there. Default: none.
   */
  readonly textHolders?: readonly TextHolder[];
  /** Page cache of the database, in MB, at least 512 (less fails at some tens of thousands of turns). Default 512. */
  readonly bufferPoolMb?: number;
  /** System time: when rows are written and end. Default: `Date.now`. */
  readonly clock?: () => Milliseconds;
  /** Every id must be unique in the file, across scopes. Default: UUID version 7. */
  readonly newId?: () => string;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger;
}

const fingerprintSchema = z.object({ model: z.string().min(1), dimension: z.number().int().min(1) });

const embedderSchema = z.custom<Embedder>(
  (value) => has(value, 'embed') && fingerprintSchema.safeParse(value.fingerprint).success,
  'is no embedder; openEmbedder({ name, modelsFolder }) opens one by name',
);

function isCategorizer(value: unknown): boolean {
  const shape = z.object({ name: z.string().min(1), nodesAtOnce: z.number().int().min(1).nullable() });
  return has(value, 'categorize') && shape.safeParse(value).success;
}

const openSchema = z.strictObject({
  path: z.string().trim().min(1),
  embedder: embedderSchema.nullish(),
  whenEmbedderDiffers: z.enum(['refuse', 'words-only']).optional(),
  languageModel: z
    .custom((value) => has(value, 'structured'), 'is no language model; createLanguageModel makes one')
    .optional(),
  textHolders: z
    .array(z.custom((value) => has(value, 'holds'), 'is no text holder; checkpointHolder makes one'))
    .optional(),
  reranker: z.custom((value) => has(value, 'rerank'), 'is no reranker; openReranker makes one').optional(),
  profile: z.union([z.string().min(1), profileSchema]).optional(),
  automatic: z.boolean().optional(),
  extractor: z.custom((value) => has(value, 'extract'), 'is no object with a function extract').optional(),
  categorizer: z
    .custom(
      isCategorizer,
      'is no object with a name, nodesAtOnce (a number, or null) and a function categorize',
    )
    .optional(),
  redactSecrets: z.boolean().optional(),
  neverRemember: z.array(z.union([z.string(), z.instanceof(RegExp)])).optional(),
  retention: retentionSchema.optional(),
  bufferPoolMb: z.number().int().min(512).max(65_536).optional(),
  clock: z.custom(isFunction, 'is no function that gives milliseconds since 1970').optional(),
  newId: z.custom(isFunction, 'is no function that gives a new id').optional(),
  logger: z.custom((value) => has(value, 'warn'), 'is no object with a function warn').optional(),
});

/** For callers without types, too. @throws InvalidInputError */
export function checkOpenOptions(options: OpenOptions): void {
  const parsed = openSchema.safeParse(options);
  if (parsed.success) return;
  const fields = Object.keys(openSchema.shape);
  throw new InvalidInputError(
    `Mnemis.open cannot use these options: ${describeIssues(parsed.error, fields)}`,
  );
}

/** @throws InvalidInputError */
export function checkEmbedder(embedder: Embedder): void {
  const parsed = embedderSchema.safeParse(embedder);
  if (!parsed.success) throw new InvalidInputError(`embedder: ${describeIssues(parsed.error)}`);
}

function has(value: unknown, method: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && isFunction(Reflect.get(value, method));
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
