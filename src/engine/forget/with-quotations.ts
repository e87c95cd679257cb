import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { type Quoting, quotationsOf } from '../../ingest/forget/quotations.ts';
import { TurnList } from '../../ingest/forget/turn-list.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { ResolvedTarget } from './forget-target.ts';

export interface TargetWithQuotations {
  readonly target: ResolvedTarget;
  /** Turns that stay though they quote some that go. */
  readonly alsoSaid: readonly Quoting[];
}

/**
 * A target with the turns that quote it, either among its turns or beside them. What quotes those turns in turn stays,
 * and is told: one step at a time, so that nothing goes that nobody was shown.
 *
 * @throws InvalidInputError
 */
export async function withQuotations(
  context: IngestContext,
  target: ResolvedTarget,
  takesThem: unknown = false,
): Promise<TargetWithQuotations> {
  const takes = z.boolean().safeParse(takesThem);
  if (!takes.success) throw new InvalidInputError('quotations is true or false');
  if (target.kind === 'all') return { target, alsoSaid: [] };
  const alsoSaid = await quotationsOf(context, target.turns);
  if (!takes.data || alsoSaid.length === 0) return { target, alsoSaid };
  const list = await TurnList.read(context.store, context.scope);
  const turns = list.withVersions([...target.turns, ...alsoSaid.map(({ id }) => id)]).map(({ id }) => id);
  return { target: { ...target, turns }, alsoSaid: await quotationsOf(context, turns) };
}
