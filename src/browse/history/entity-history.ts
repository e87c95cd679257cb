import type { CorrectionRecord } from '../../edit/correct/describe-correction.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { EntityId, Milliseconds } from '../../model/ids.ts';
import type { Profile } from '../../model/nodes.ts';
import {
  correctionsOf,
  type FactVersion,
  factVersions,
  type HistoryContext,
  placeOf,
  supersessionsOf,
} from './fact-history.ts';
import { type Page, pageOf } from './page.ts';

/**
 * One profile in an entity's history: current from `createdAt` to `expiredAt` (system time; null while it is
 * current).
 */
export type ProfileVersion = Omit<Profile, 'owner'>;

/** The profiles and facts of an entity over time. */
export interface EntityHistory {
  readonly kind: 'entity';
  readonly entity: EntityId;
  readonly createdAt: Milliseconds;
  /** Ordered by when they were written (system time). */
  readonly profiles: Page<ProfileVersion>;
  /** Ordered by when they began to hold (valid time), with the facts that superseded them. */
  readonly facts: Page<FactVersion>;
  /** Corrections: edits of its profile, merges, splits; the oldest first. */
  readonly corrections: readonly CorrectionRecord[];
}

/** Which part of an entity's history: profiles and facts have separate pages. */
export interface EntityHistoryRequest {
  /** Of each of the two lists, from 1 to 500. Default 50. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page of each list; if omitted, the list begins with its oldest. */
  readonly after?:
    | { readonly profiles?: string | undefined; readonly facts?: string | undefined }
    | undefined;
}

/**
 * Scans all profiles of the scope, because an entity's profiles have no edge to it.
 *
 * @throws InvalidInputError if the scope has no such entity.
 */
export async function entityHistory(
  context: HistoryContext,
  entity: string,
  { limit, after = {} }: EntityHistoryRequest = {},
): Promise<EntityHistory> {
  const { store, scope } = context;
  const [row] = await store.get(scope, 'entity', [entity]);
  if (row === undefined) throw new InvalidInputError('No entity of this scope has that id or name');
  const written = pageOf(
    await profilesOf(context, entity),
    ({ createdAt, id }) => ({ at: createdAt, createdAt, id }),
    {
      limit,
      after: after.profiles,
    },
  );
  const rows = await store.get(
    scope,
    'profile',
    written.items.map(({ id }) => id),
  );
  const profiles = rows.map(({ owner: _, ...profile }) => profile);
  const about = await store.get(scope, 'fact', await factsAbout(context, entity));
  const page = pageOf(about, placeOf, { limit, after: after.facts });
  const facts = await factVersions(context, page.items, await supersessionsOf(context));
  return {
    kind: 'entity',
    entity: row.id,
    createdAt: row.createdAt,
    profiles: { ...written, items: profiles },
    facts: { ...page, items: facts },
    corrections: await correctionsOf(context, new Set([entity])),
  };
}

async function profilesOf(
  { store, scope }: HistoryContext,
  entity: string,
): Promise<Pick<Profile, 'id' | 'createdAt'>[]> {
  const found: Pick<Profile, 'id' | 'createdAt'>[] = [];
  for await (const batch of store.scan(scope, 'profile', ['id', 'owner', 'createdAt']))
    for (const { id, owner, createdAt } of batch) if (owner === entity) found.push({ id, createdAt });
  return found;
}

async function factsAbout({ store, scope }: HistoryContext, entity: string): Promise<string[]> {
  const facts = new Set<string>();
  for await (const batch of store.relationships(scope, 'ABOUT', { to: [entity] }))
    for (const { from } of batch) facts.add(from);
  return [...facts];
}
