import { createHash } from 'node:crypto';
import type { SessionLine } from '../../../src/browse/session-list.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { Conversation, Imported, InputOf, OutputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import type { AppStore } from '../store/app-store.ts';

type Context = Pick<AppContext, 'engine' | 'store'>;

/** Conversations that memory took from elsewhere: memory has their turns, the app only what was done with them. */
export async function importedListing(
  { engine, store }: Context,
  { scope, ...request }: InputOf<'imported'>,
): Promise<OutputOf<'imported'>> {
  const continued = store.conversations.continued(scope);
  const except = new Set(continued.flatMap(({ session, isListed }) => (isListed ? [session] : [])));
  const known = new Map(continued.map((each) => [each.session, each]));
  const page = await engine.scope(scope).knowledge.sessions({ ...withoutUndefined(request), except });
  const items = page.items.map((line) => {
    const imported = importedOf(store, scope, line);
    return { ...imported, title: known.get(line.session)?.title ?? imported.title };
  });
  return { ...page, items, sources: [...page.sources] };
}

/** What a conversation continues; null for one that began in the app. */
export async function importedBy(
  { engine, store }: Context,
  { scope, session }: Pick<Conversation, 'scope' | 'session'>,
): Promise<Imported | null> {
  const line = session === null ? null : await engine.scope(scope).knowledge.sessionLine(session);
  return line && importedOf(store, scope, line);
}

/** A session as the conversation that it would be, before anything was done with it. @throws InvalidInputError */
export async function unchangedConversation(
  context: Context,
  { scope, session }: { readonly scope: string; readonly session: string },
): Promise<{ readonly conversation: Conversation; readonly imported: Imported }> {
  const imported = await importedBy(context, { scope, session });
  if (imported === null) throw new InvalidInputError('Memory has no conversation of this name');
  const { conversation: id, title, from, to } = imported;
  const times = { createdAt: from, updatedAt: to };
  const empty = { folder: null, isPinned: false, messages: 0, draft: '', leaf: null, isPrivate: false };
  return { conversation: { id, title, scope, session, ...times, ...empty }, imported };
}

function importedOf(store: AppStore, scope: string, line: SessionLine): Imported {
  const conversation = store.conversations.ofSession(scope, line.session)?.id;
  return { ...line, scope, conversation: conversation ?? newId(store, scope, line.session) };
}

/**
 * The same for each window, so that two that continue a session make one conversation. One that was moved keeps its id,
 * so the same session of the scope that it came from gets another one.
 */
function newId({ conversations }: AppStore, scope: string, session: string): string {
  for (let next = 0; ; next++) {
    const named = next === 0 ? [scope, session] : [scope, session, next];
    const digest = createHash('sha256').update(JSON.stringify(named)).digest('base64url');
    const id = `s-${digest.slice(0, 24)}`;
    if (conversations.find(id) === undefined) return id;
  }
}
