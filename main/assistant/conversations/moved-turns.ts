import { createHash } from 'node:crypto';
import { MnemisError } from '../../../src/errors/index.ts';
import type { Episode } from '../../../src/model/nodes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import type { AppContext } from '../app-context.ts';
import { renamedSources } from '../chat/exchange.ts';
import { heldIn } from '../forgetting.ts';
import type { UnfinishedMove } from '../store/move-table.ts';

type Context = Pick<AppContext, 'engine' | 'store'>;

/**
 * New keys of a conversation's exchanges by the old ones, so that a memory that forgot them takes them again if they come
 * back. They are digests of where the exchange goes and of its old key: another try adds nothing twice.
 */
export function newKeys(
  { store }: Pick<Context, 'store'>,
  conversation: string,
  to: string,
): ReadonlyMap<string, string> {
  const digest = (key: string) =>
    createHash('sha256')
      .update(JSON.stringify([to, conversation, key]))
      .digest('base64url')
      .slice(0, 24);
  return new Map(store.messages.of(conversation).map(({ memoryKey: key }) => [key, digest(key)]));
}

/** The turns as another scope takes them. What no message of the app became keeps its key. */
export function turnsFor(
  { store }: Pick<Context, 'store'>,
  conversation: string,
  { episodes, to }: { readonly episodes: readonly Episode[]; readonly to: string },
): TurnInput[] {
  const { session } = store.conversations.get(conversation);
  const renamed = new Map(
    [...newKeys({ store }, conversation, to)].flatMap(([key, now]) => [
      ...renamedSources({ id: conversation, session }, key, now),
    ]),
  );
  return episodes.map((episode) => {
    const { content, atText, speaker, role, trust, session, index, source, sourceId, metadata } = episode;
    const attachments = episode.attachments.map(({ kind, description, uri }) => ({
      ...{ kind, description },
      ...(uri != null && { uri }),
    }));
    const said = { content, at: atText, speaker, role, trust, session, index, source, metadata, attachments };
    return { ...said, ...(sourceId !== null && { sourceId: renamed.get(sourceId) ?? sourceId }) };
  });
}

/**
 * Ends what a move of the conversation that broke off has left: while it copied, the copies go and the conversation
 * stays where it is; after that, the scope that it came from forgets its turns.
 *
 * @throws what forgetting throws; the next call continues.
 */
export async function settleMove(context: Context, conversation: string): Promise<void> {
  const { engine, store } = context;
  const left = store.moves.find(conversation);
  if (left === undefined) return;
  const { step, scope } = left;
  const episodes = step === 'copying' ? await copiesOf(context, left) : left.turns;
  const held = await heldIn(context, scope, episodes);
  const cause = step === 'copying' ? ('undone' as const) : ('moved' as const);
  if (held.length > 0) await engine.scope(scope).forget({ episodes: held }, { cause });
  store.moves.delete(conversation);
}

/** When the app opens. What fails waits for the next time. */
export async function settleMoves(context: Context & Pick<AppContext, 'logger'>): Promise<void> {
  for (const { conversation } of context.store.moves.list())
    await settleMove(context, conversation).catch((error: unknown) => {
      const code = MnemisError.isInstance(error) ? error.code : 'internal';
      context.logger.warn(
        `A conversation that was being moved has turns in two memories (${code}); the next start of the engine removes them from one.`,
      );
    });
}

/** The copies that a scope has by now of turns that it lacked before. */
async function copiesOf(
  context: Context,
  { conversation, scope: to, turns }: UnfinishedMove,
): Promise<string[]> {
  const { engine, store } = context;
  const from = store.conversations.find(conversation)?.scope;
  if (from === undefined) return [];
  const episodes = await engine.scope(from).episodes(turns);
  const inputs = turnsFor(context, conversation, { episodes, to });
  if (inputs.length === 0) return [];
  const { outcomes } = await engine.scope(to).preview(inputs);
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'known') return [outcome.id];
    return outcome.status === 'superseding' ? [outcome.superseded] : [];
  });
}
