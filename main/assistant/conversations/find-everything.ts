import { AskedWords } from '../../../src/browse/find/asked-words.ts';
import type { FindRequest, Found, FoundKind } from '../../../src/browse/find/find.ts';
import { FOUND_KINDS } from '../../../src/browse/find/find.ts';
import { APP_SOURCE } from '../../../src/browse/session-list.ts';
import { firstImage } from '../../../src/model/image-uri.ts';
import type { FoundHit, InputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { imagesOf } from '../chat/message-images.ts';

type Context = Pick<AppContext, 'engine' | 'store' | 'config' | 'logger'>;

const DEFAULT_LIMIT = 40;
/** Found of each kind before they are ranked together. */
const PER_KIND = 30;
/** Where two fit equally well, what is rarer and says more comes first. */
const WEIGHTS: Readonly<Record<FoundHit['kind'], number>> = {
  ...{ entity: 1.5, chat: 1.3, session: 1.2, message: 1.1, turn: 1.1, fact: 1, file: 1, category: 0.8 },
};
/** What the engine's search finds by meaning, where nothing has all words. */
const BY_MEANING = 8;

/** Everything with the words of a query, of all memories that the app has, in one ranking. */
export async function findEverything(
  context: Context,
  { query, scope, kinds, limit = DEFAULT_LIMIT }: InputOf<'find'>,
): Promise<readonly FoundHit[]> {
  const wants = (kind: FoundHit['kind']) => kinds === undefined || kinds.includes(kind);
  const ofEngine = FOUND_KINDS.filter(wants);
  const scopes = scope === undefined ? scopesOf(context) : [scope];
  const inScopes = await Promise.all(
    ofEngine.length === 0
      ? []
      : scopes.map((name) => foundIn(context, name, { query, kinds: ofEngine, limit: PER_KIND })),
  );
  const asked = new AskedWords(query, () => []);
  const found = [
    ...inScopes.flat(),
    ...(wants('chat') ? foundChats(context, asked, scope) : []),
    ...(wants('message') ? foundMessages(context, { asked, query, scope }) : []),
  ].filter(isNew());
  const isFound = found.some(({ fit }) => fit > 1);
  if (!isFound && asked.words.length > 1 && (wants('turn') || wants('fact')))
    found.push(...(await byMeaning(context, { query, scope: scopes[0]!, found, asked, wants })));
  return ranked(found).slice(0, limit);
}

/** A message may be found by its words and by what its image shows. */
function isNew(): (hit: FoundHit) => boolean {
  const known = new Set<string>();
  return ({ kind, id }) => known.size < known.add(`${kind} ${id}`).size;
}

/** That of new chats, then those of projects. */
function scopesOf({ store, config }: Context): readonly string[] {
  return [...new Set([config.scope, ...store.folders.list().map(({ scope }) => scope)])];
}

async function foundIn(context: Context, scope: string, request: FindRequest): Promise<FoundHit[]> {
  const { engine, store } = context;
  const found = await engine.scope(scope).knowledge.find(request);
  return found.flatMap((each) => {
    const hit = hitOf(scope, each);
    const isOfApp = each.source === APP_SOURCE && store.conversations.ofSession(scope, each.session ?? '');
    return isOfApp ? messageWithImage(store, hit) : [hit];
  });
}

/** What an image shows is no word of its message, which is found by the turn that it became. */
function messageWithImage({ messages, conversations }: Context['store'], hit: FoundHit): FoundHit[] {
  if (hit.image === null) return [];
  const message = messages.withTurns([hit.id]).find(({ own }) => own.includes(hit.id));
  if (message === undefined) return [];
  const { id, conversation } = message;
  const { title: where } = conversations.get(conversation);
  return [{ ...hit, kind: 'message', id, conversation, where, source: null }];
}

const hitOf = (scope: string, found: Found): FoundHit => ({ ...found, scope, conversation: null });

const OF_APP = { where: '', speaker: null, session: null, source: null, episode: null, image: null } as const;

function foundChats({ store }: Context, asked: AskedWords, scope: string | undefined): FoundHit[] {
  if (asked.words.length === 0) return [];
  return store.conversations
    .titles()
    .filter((each) => scope === undefined || each.scope === scope)
    .flatMap(({ id, title, scope: own, updatedAt }): FoundHit[] => {
      const fit = asked.placeIn(title) >= 0 ? 3 : asked.countIn(title) === asked.words.length ? 2 : 0;
      if (fit === 0) return [];
      const text = asked.partOf(title);
      return [{ ...OF_APP, kind: 'chat', id, fit, text, at: updatedAt, scope: own, conversation: id }];
    })
    .slice(0, PER_KIND);
}

interface MessagesAsked {
  readonly asked: AskedWords;
  readonly query: string;
  readonly scope: string | undefined;
}

function foundMessages({ store }: Context, { asked, query, scope }: MessagesAsked): FoundHit[] {
  if (asked.words.length === 0) return [];
  const hits = store.messages
    .search(query, PER_KIND)
    .filter((each) => scope === undefined || each.scope === scope);
  return hits.map(({ message, conversation, title, role, at, text, scope: own }): FoundHit => {
    const fit = asked.placeIn(text) >= 0 ? 3 : 2;
    const speaker = role === 'user' ? 'user' : null;
    const shown = { text: asked.partOf(text), where: title, at, speaker, scope: own };
    const [image] = imagesOf(store.messages.get(message));
    return {
      ...OF_APP,
      ...shown,
      kind: 'message',
      id: message,
      fit,
      conversation,
      image: image?.image ?? null,
    };
  });
}

interface MeaningAsked {
  readonly query: string;
  readonly scope: string;
  readonly found: readonly FoundHit[];
  readonly asked: AskedWords;
  readonly wants: (kind: FoundKind) => boolean;
}

/** What the engine's search ranks highest, below what has the words. */
async function byMeaning(
  { engine, store }: Context,
  { query, scope, found, asked, wants }: MeaningAsked,
): Promise<FoundHit[]> {
  const known = new Set(found.map(({ id }) => id));
  const { items } = await engine.scope(scope).search(query, { recipe: 'system1', k: BY_MEANING });
  return items.flatMap((item): FoundHit[] => {
    if (item.kind === 'entity' || known.has(item.id)) return [];
    const kind = item.kind === 'fact' ? 'fact' : 'turn';
    const [first] = item.sources;
    if (!wants(kind) || first === undefined) return [];
    const isOfApp =
      item.kind === 'episode' && store.conversations.ofSession(scope, first.session)?.session === null;
    if (isOfApp) return [];
    const { episode, session } = first;
    const place = { at: item.validAt, scope, session, conversation: null };
    const speaker = item.kind === 'episode' ? item.speaker : null;
    const text = asked.partOf(item.kind === 'fact' ? item.statement : item.content);
    const image = item.kind === 'episode' ? firstImage(item.attachments) : null;
    return [{ ...OF_APP, ...place, kind, id: item.id, fit: 0, text, speaker, episode, image }];
  });
}

/** By how well they fit; then a list of each kind is merged with the others by rank. */
function ranked(found: readonly FoundHit[]): readonly FoundHit[] {
  const isGood = found.some(({ fit }) => fit > 1);
  const places = new Map<string, number>();
  return found
    .filter(({ fit }) => fit !== 1 || !isGood)
    .map((hit) => {
      const list = `${hit.kind} ${hit.fit}`;
      const place = places.get(list) ?? 0;
      places.set(list, place + 1);
      return { hit, score: WEIGHTS[hit.kind] / (4 + place) };
    })
    .toSorted((a, b) => b.hit.fit - a.hit.fit || b.score - a.score)
    .map(({ hit }) => hit);
}
