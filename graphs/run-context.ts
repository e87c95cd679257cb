import { z } from 'zod';
import { InvalidInputError } from '../src/errors/index.ts';
import { options } from '../src/model/options.ts';
import { describeIssues } from '../src/util/describe-issues.ts';

export const DEFAULT_SCOPE = 'default';

/** A shared option as a field of a context, with the words that Studio shows. */
export function titled<Schema extends z.ZodType>(title: string, option: Schema, otherwise?: unknown) {
  const { description } = option;
  return option
    .optional()
    .meta({ title, description, ...(otherwise !== undefined && { default: otherwise }) });
}

/** The fields of every graph's context. A context configures a run, or an assistant of Studio; it is never input. */
export const commonContextShape = {
  scope: options.scope.optional().meta({
    title: 'Scope',
    description: 'Whose memory. A thread belongs to one scope.',
    default: DEFAULT_SCOPE,
  }),
  tokenBudget: titled('Token budget', options.tokenBudget),
};

/** What a node is called with, as far as our nodes use it. */
export interface RunConfig {
  readonly context?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** Emits a custom event. */
  readonly writer?: ((event: unknown) => void) | undefined;
}

/** LangGraph checks a context but does not parse it. @throws InvalidInputError */
export function readContext<Schema extends z.ZodType>(
  schema: Schema,
  { context = {} }: Pick<RunConfig, 'context'>,
): z.output<Schema> {
  const read = schema.safeParse(context);
  if (read.success) return read.data;
  throw new InvalidInputError(`The context of the run is not valid: ${describeIssues(read.error)}`);
}

/** Model calls and tokens, in a state. */
export const usageSchema = z.object({
  calls: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
});

/**
 * The scope of a run: the thread's, which the context may repeat but not change.
 *
 * @throws InvalidInputError
 */
export function scopeOf(
  { scope }: { readonly scope?: string | null | undefined },
  context: { readonly scope?: string | undefined },
): string {
  if (scope != null && context.scope !== undefined && context.scope !== scope)
    throw new InvalidInputError('A thread belongs to one scope; begin another thread for another scope');
  return scope ?? context.scope ?? DEFAULT_SCOPE;
}
