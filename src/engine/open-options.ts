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
import type { Logger } from '../model/logger.ts';
import { type PostgresLocation, postgresLocationSchema } from '../store/postgres-options.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { type Retention, retentionSchema } from './maintain/retention.ts';

/**
 * Options of `Mnemis.open`. Only `path` or `store` is required; the defaults are the local tier, which needs no key,
 * server or download. Unknown or invalid options throw InvalidInputError.
 */
export interface OpenOptions {
  /**
   * The database file, created with its folder if missing: a SQLite file if its name ends in `.sqlite`, otherwise a
   * Kùzu file. `:memory:` stores nothing on disk; `postgres://…` is a database server.
   */
  readonly path?: string;
  /**
   * How long to wait, in milliseconds, while another program has the file open. Default 0: DatabaseLockedError at once,
   * with who has it open.
   */
  readonly wait?: number;
  /** Ends the wait with CancelledError. */
  readonly signal?: AbortSignal | undefined;
  /** A database server instead of a path: `postgres({ url })`. */
  readonly store?: PostgresLocation;
  /**
   * Computes the vectors of texts. Default: the bundled English word vectors, 256 numbers. Null: no embedder is
   * available, and a memory of any embedder opens; counts and exports work, searches compare words only, and turns
   * cannot be added.
   */
  readonly embedder?: Embedder | null;
  /**
   * What to do if the memory's vectors come from another embedder, which need not be available. `refuse` throws.
   * `words-only` opens the memory; searches compare words only until `reembed` has moved it to this embedder. Default
   * `refuse`.
   */
  readonly whenEmbedderDiffers?: 'refuse' | 'words-only';
  /** Extracts facts from turns, if the profile uses a model for that. Create one with `createLanguageModel`. */
  readonly languageModel?: LanguageModel;
  /**
   * Reranks candidates, if the recipe says so. Create one with `openReranker`. Default: none; the fused ranks decide.
   */
  readonly reranker?: Reranker;
  /**
   * The ingest profile, or its name: how turns become entities and facts. Default: `default` with a language model,
   * `local` without.
   */
  readonly profile?: string | IngestProfile;
  /**
   * Whether turns are consolidated automatically: when a topic is complete, and in the local tier at `close`. If
   * false, only `flush`, `resume` and `import` consolidate. Default true.
   */
  readonly automatic?: boolean;
  /** Extracts entities and facts from turns in the local tier. Default: the built-in rules. */
  readonly extractor?: Extractor;
  /** Groups entities into categories. Default: set by the profile, by rules or by the language model. */
  readonly categorizer?: Categorizer;
  /**
   * Whether keys, card numbers, passwords and similar secrets are redacted before turns are stored; `add` reports
   * which kinds it found. Default true.
   */
  readonly redactSecrets?: boolean;
  /**
   * Turns and facts that contain one of these phrases (whole words, any case) or match one of these patterns are
   * rejected, and nothing of them is stored. At most 200.
   */
  readonly neverRemember?: readonly NeverRememberRule[];
  /** How long turns are kept; applied by `maintain`. Default: for ever. */
  readonly retention?: Retention;
  /**
   * Stores beside the memory that hold user text, such as the checkpoints of an assistant (`checkpointHolder`). The
   * proof of `forget` searches them too, and names them if they still contain a forgotten text. Default: none.
   */
  readonly textHolders?: readonly TextHolder[];
  /**
   * Page cache of a Kùzu file in MB when it is opened, at least 512. Where a write needs more, as in files of gigabytes,
   * it grows up to half of the machine's memory. Default 512.
   */
  readonly bufferPoolMb?: number;
  /**
   * Most megabytes that the scopes in use hold in memory; above it, and after five minutes without use, a scope leaves
   * memory, and its next use reads its snapshot. At least 16. Default 256.
   */
  readonly scopeMemoryMb?: number;
  /** System time, which dates the creation and expiry of rows. Default: `Date.now`. */
  readonly clock?: () => Milliseconds;
  /** Creates ids, which must be unique in the file, across scopes. Default: UUID version 7. */
  readonly newId?: () => string;
  /** Default: warnings go to standard error. */
  readonly logger?: Logger;
}

/** A memory is at a path or in a store. */
export type MemoryPlace = { readonly path: string } | { readonly store: PostgresLocation };

/** A day, in milliseconds. */
const MOST_WAIT = 86_400_000;

const fingerprintSchema = z.object({ model: z.string().min(1), dimension: z.number().int().min(1) });

const embedderSchema = z.custom<Embedder>(
  (value) => has(value, 'embed') && fingerprintSchema.safeParse(value.fingerprint).success,
  'is not an embedder; openEmbedder({ name, modelsFolder }) opens one by name',
);

function isCategorizer(value: unknown): boolean {
  const shape = z.object({ name: z.string().min(1), nodesAtOnce: z.number().int().min(1).nullable() });
  return has(value, 'categorize') && shape.safeParse(value).success;
}

const openSchema = z.strictObject({
  path: z.string().trim().min(1).optional(),
  store: postgresLocationSchema.optional(),
  embedder: embedderSchema.nullish(),
  whenEmbedderDiffers: z.enum(['refuse', 'words-only']).optional(),
  languageModel: z
    .custom(
      (value) => has(value, 'structured'),
      'is not a language model; create one with createLanguageModel',
    )
    .optional(),
  textHolders: z
    .array(z.custom((value) => has(value, 'holds'), 'is not a text holder; create one with checkpointHolder'))
    .optional(),
  reranker: z
    .custom((value) => has(value, 'rerank'), 'is not a reranker; open one with openReranker')
    .optional(),
  profile: z.union([z.string().min(1), profileSchema]).optional(),
  automatic: z.boolean().optional(),
  extractor: z
    .custom((value) => has(value, 'extract'), 'is not an object with a function extract')
    .optional(),
  categorizer: z
    .custom(
      isCategorizer,
      'is not an object with a name, nodesAtOnce (a number, or null) and a function categorize',
    )
    .optional(),
  redactSecrets: z.boolean().optional(),
  neverRemember: z.array(z.union([z.string(), z.instanceof(RegExp)])).optional(),
  retention: retentionSchema.optional(),
  bufferPoolMb: z.number().int().min(512).max(65_536).optional(),
  scopeMemoryMb: z.number().int().min(16).max(1_048_576).optional(),
  wait: z.number().min(0).max(MOST_WAIT).optional(),
  signal: z.custom((value) => has(value, 'addEventListener'), 'is not an AbortSignal').optional(),
  clock: z.custom(isFunction, 'is not a function that returns milliseconds since 1970').optional(),
  newId: z.custom(isFunction, 'is not a function that returns a new id').optional(),
  logger: z.custom((value) => has(value, 'warn'), 'is not an object with a function warn').optional(),
});

const NO_PLACE = { path: ['path'], error: 'is missing; a file, ":memory:", a URL postgres://…, or store' };
const TWO_PLACES = { path: ['store'], error: 'names a second place beside path; give one of them' };

/** Also serves callers without types. @throws InvalidInputError */
export function checkOpenOptions(options: OpenOptions): void {
  const parsed = openSchema
    .refine(({ path, store }) => path !== undefined || store !== undefined, NO_PLACE)
    .refine(({ path, store }) => path === undefined || store === undefined, TWO_PLACES)
    .safeParse(options);
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
