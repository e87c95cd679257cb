import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { namesEverOf } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { authorSchema } from '../../model/correction-input.ts';
import { type ForgetTarget, forgetTargetSchema } from '../../model/forget-target.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInput } from '../../model/time-input.ts';
import { isRecordPart, recordOf } from '../../model/turn-input.ts';
import { entityNamed } from '../../search/entity-index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { ForgetTargetKind } from './forget-event.ts';
import { type Quoting, quotationsOf } from './quotations.ts';
import { type ListedTurn, TurnList } from './turns.ts';

/** A target resolved to ids of a scope. */
export interface ResolvedTarget {
  readonly kind: ForgetTargetKind;
  /** Turns in all their versions, session by session. */
  readonly turns: readonly string[];
  readonly entities: readonly string[];
  /** Every name that those entities ever had. */
  readonly names: readonly string[];
}

/** The most sessions that a message names. */
const MOST_SESSIONS = 5;

/** Finds turns by a question. */
type FindTurns = (query: string, limit: number) => Promise<readonly string[]>;

/** @throws InvalidInputError */
export function readAuthor(author: unknown = 'user'): string {
  const parsed = authorSchema.safeParse(author);
  if (!parsed.success) throw new InvalidInputError('The author must be a text of 1 to 200 characters');
  return parsed.data;
}

/** @throws InvalidInputError */
export function readTarget(target: unknown): ForgetTarget {
  const parsed = forgetTargetSchema.safeParse(target);
  if (!parsed.success) throw new InvalidInputError(`What to forget ${describeIssues(parsed.error)}`);
  return parsed.data;
}

/** Replaces a query by the turns that it finds. The search runs before the write lock is taken. */
export async function foundTarget(
  target: ForgetTarget,
  find: FindTurns,
): Promise<{ readonly target: ForgetTarget; readonly kind: ForgetTargetKind }> {
  if (!('query' in target)) return { target, kind: kindOf(target) };
  return { target: { episodes: [...(await find(target.query, target.limit ?? 10))] }, kind: 'query' };
}

/** @throws InvalidInputError for an id, session or name that the scope lacks. */
export async function resolveTarget(context: IngestContext, target: ForgetTarget): Promise<ResolvedTarget> {
  const kind = kindOf(target);
  if ('entity' in target) return entityTarget(context, target.entity, target.episodes === true);
  const list = await TurnList.read(context.store, context.scope);
  const turns = list.withVersions(withRecordParts(idsOf(target, list), list)).map((turn) => turn.id);
  return { kind, turns, entities: [], names: [] };
}

function kindOf(target: ForgetTarget): ForgetTargetKind {
  for (const kind of ['episode', 'session', 'entity', 'query', 'all', 'episodes'] as const)
    if (kind in target) return kind;
  return 'time';
}

function idsOf(target: Exclude<ForgetTarget, { entity: string }>, list: TurnList): string[] {
  const all = [...list.all()];
  if ('episode' in target) return known([target.episode], list);
  if ('episodes' in target) return known(target.episodes, list);
  if ('session' in target) {
    const turns = list.inSession(target.session);
    if (turns.length === 0)
      throw new InvalidInputError(`No session of this scope has that name${others(list)}`);
    return turns.map((turn) => turn.id);
  }
  if ('all' in target || 'query' in target) return all.map((turn) => turn.id);
  const [after, before] = [timeOf('after', target.after), timeOf('before', target.before)];
  return all
    .filter(({ validAt }) => validAt >= (after ?? -Infinity) && validAt < (before ?? Infinity))
    .map((turn) => turn.id);
}

/** Turns, and those that carry the rest of a record of one of them: a large entry of a transcript goes as a whole. */
function withRecordParts(ids: readonly string[], list: TurnList): readonly string[] {
  const nameOf = ({ source, sourceId }: ListedTurn) =>
    sourceId === null ? null : JSON.stringify([source, recordOf(sourceId)]);
  const parts = [...list.all()].filter(({ sourceId }) => isRecordPart(sourceId));
  if (parts.length === 0) return ids;
  const named = new Set(ids.flatMap((id) => nameOf(list.get(id)!) ?? []));
  return [...ids, ...parts.flatMap((turn) => (named.has(nameOf(turn)!) ? turn.id : []))];
}

function others(list: TurnList): string {
  const sessions = list.sessions();
  if (sessions.length === 0) return '; it has none';
  const named = sessions.slice(0, MOST_SESSIONS).map((name) => JSON.stringify(name));
  const more = sessions.length > named.length ? ` and ${sessions.length - named.length} more` : '';
  return `; the latest are ${named.join(', ')}${more}`;
}

function known(ids: readonly string[], list: TurnList): string[] {
  const missing = ids.filter((each) => list.get(each) === undefined).length;
  if (missing > 0)
    throw new InvalidInputError(
      ids.length === 1
        ? 'No turn of this scope has that id'
        : `The scope lacks ${missing} of the ${ids.length} turns`,
    );
  return [...ids];
}

function timeOf(name: string, input: TimeInput | undefined): Milliseconds | null {
  if (input === undefined) return null;
  const time = parseTimestamp(input);
  if (time === null) throw new InvalidInputError(`${name} is not a time`);
  return time;
}

async function entityTarget(
  context: IngestContext,
  idOrName: string,
  withTurns: boolean,
): Promise<ResolvedTarget> {
  const { store, scope, index } = context;
  const entity = entityNamed(idOrName, index.entities);
  const [row] = await store.get(scope, 'entity', [entity]);
  if (row === undefined) throw new InvalidInputError('No entity of this scope has that id or name');
  const turns: string[] = [];
  if (withTurns) {
    const list = await TurnList.read(store, scope);
    for await (const edges of store.relationships(scope, 'MENTIONS', { to: [entity] }))
      turns.push(...list.withVersions(edges.map(({ from }) => from)).map((turn) => turn.id));
  }
  return {
    kind: 'entity',
    turns: [...new Set(turns)],
    entities: [entity],
    names: await namesEverOf(context, entity),
  };
}

export interface TargetWithQuotations {
  readonly target: ResolvedTarget;
  /** Remaining turns that quote removed ones. */
  readonly alsoSaid: readonly Quoting[];
}

/**
 * Adds the turns that quote a target to it, or lists them beside it. Turns that quote those are not added but listed:
 * nothing is removed that the user was not shown.
 *
 * @throws InvalidInputError
 */
export async function withQuotations(
  context: IngestContext,
  target: ResolvedTarget,
  takesThem: unknown = false,
): Promise<TargetWithQuotations> {
  const takes = z.boolean().safeParse(takesThem);
  if (!takes.success) throw new InvalidInputError('quotations must be true or false');
  if (target.kind === 'all') return { target, alsoSaid: [] };
  const alsoSaid = await quotationsOf(context, target.turns);
  if (!takes.data || alsoSaid.length === 0) return { target, alsoSaid };
  const list = await TurnList.read(context.store, context.scope);
  const turns = list.withVersions([...target.turns, ...alsoSaid.map(({ id }) => id)]).map(({ id }) => id);
  return { target: { ...target, turns }, alsoSaid: await quotationsOf(context, turns) };
}
