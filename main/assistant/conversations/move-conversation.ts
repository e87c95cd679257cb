import { InvalidInputError } from '../../../src/errors/index.ts';
import { imageId } from '../../../src/model/image-uri.ts';
import type { Episode } from '../../../src/model/nodes.ts';
import { isEmptied, type TurnInput } from '../../../src/model/turn-input.ts';
import { inBatches } from '../../../src/util/collections.ts';
import type { Conversation, InputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { heldIn } from '../forgetting.ts';
import type { AppStore } from '../store/app-store.ts';
import { turnsOf } from './delete-conversation.ts';
import { newKeys, settleMove, turnsFor } from './moved-turns.ts';

const BATCH = 200;

/**
 * Moves a conversation into a project, or out of one, with its turns: the memory that it comes from forgets them, so that
 * a project sees nothing of what is outside it, and the other way round. The turns are in the new memory before the old
 * one loses them. A move that fails while it copies is undone; what is left of one that broke off is settled when the app
 * opens next.
 *
 * @throws ConversationBusyError; InvalidInputError if the other memory has forgotten some of the turns, if a person
 *   corrected what was learned from them, or while memory forgets: nothing is moved.
 */
export async function moveConversation(
  context: AppContext,
  { conversation: id, folder }: InputOf<'moveConversation'>,
): Promise<Conversation> {
  const { running, store } = context;
  store.conversations.get(id);
  await running.stop(id);
  const hold = running.begin(id, 'move');
  try {
    await settleMove(context, id);
    await move(context, id, folder);
    return store.conversations.get(id);
  } finally {
    hold.end();
  }
}

async function move(context: AppContext, id: string, folder: string | null): Promise<void> {
  const { engine, store, config, reading } = context;
  const { scope: from, session } = store.conversations.get(id);
  const target = folder === null ? null : store.folders.find(folder);
  if (target === undefined) throw new InvalidInputError(NO_FOLDER);
  const to = target?.scope ?? config.scope;
  if (to === from) {
    store.conversations.update(id, { folder });
    return;
  }
  if (store.removals.list().some(({ scope }) => scope === from || scope === to))
    throw new InvalidInputError('Memory is forgetting something; move the conversation afterwards');
  const turns = await turnsOf(context, { id, scope: from, session: session ?? id });
  const episodes = await engine.scope(from).episodes(turns);
  await refuseLosses(context, from, episodes);
  try {
    const moved = await copied(context, { id, from, to, episodes });
    store.file.transaction(() => {
      if (folder !== null && store.folders.find(folder) === undefined) throw new InvalidInputError(NO_FOLDER);
      rewrite(context, id, { to, folder, moved });
      store.dismissals.move(moved, { from, to });
      const named = episodes.flatMap(({ attachments }) => attachments.flatMap((each) => imageId(each) ?? []));
      store.images.move({ conversation: id, named, from, to });
      store.moves.save({ conversation: id, step: 'forgetting', scope: from, turns });
    });
  } catch (error) {
    await settleMove(context, id).catch(() => undefined); // the copy's failure is the one to report
    throw error;
  }
  await settleMove(context, id);
  reading.note(to);
}

const NO_FOLDER = 'There is no folder with this id';
/** Named in a message. */
const MOST_NAMED = 3;

/** What a person put right stays with the memory in which it was done. @throws InvalidInputError */
async function refuseLosses(
  { engine }: AppContext,
  from: string,
  episodes: readonly Episode[],
): Promise<void> {
  if (episodes.some(isEmptied))
    throw new InvalidInputError(
      'A retention rule removed the text of some turns of this conversation, and the facts that it kept of them cannot be moved; the conversation stays where it is',
    );
  const corrections = await engine.scope(from).corrections.ofTurns(episodes.map(({ id }) => id));
  if (corrections.length === 0) return;
  const ids = corrections.slice(-MOST_NAMED).map(({ id }) => id);
  const others = corrections.length - ids.length;
  throw new InvalidInputError(
    `What memory learned from this conversation was corrected by hand, and a move would lose that, so the conversation stays where it is. To move it, first undo these corrections: ${ids.join(', ')}${others > 0 ? ` and ${others} earlier ones` : ''}`,
  );
}

interface CopyRequest {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly episodes: readonly Episode[];
}

/** Adds the turns to the other memory, and gives the new ones by the old ones. @throws InvalidInputError */
async function copied(
  context: AppContext,
  { id, from, to, episodes }: CopyRequest,
): Promise<ReadonlyMap<string, string>> {
  const { engine, store } = context;
  const moved = new Map<string, string>();
  const inputs = turnsFor(context, id, { episodes, to });
  if (inputs.length === 0) return moved;
  const { rejected, outcomes } = await engine.scope(to).preview(inputs, { isMove: true });
  if (rejected > 0)
    throw new InvalidInputError(
      'The other memory has forgotten some of what was said in this conversation, so it stays where it is',
    );
  const turns = episodes.flatMap((each, at) => (outcomes[at]!.status === 'added' ? [each.id as string] : []));
  store.moves.save({ conversation: id, step: 'copying', scope: to, turns });
  const pairs = inputs.map((input, at): [TurnInput, string] => [input, episodes[at]!.id]);
  for (const batch of inBatches(pairs, BATCH)) {
    const added = await engine.scope(to).add(
      batch.map(([input]) => input),
      { isMove: true },
    );
    for (const [at, outcome] of added.outcomes.entries()) {
      if (outcome.status === 'rejected') throw new InvalidInputError(CHANGED);
      moved.set(batch[at]![1], outcome.id);
    }
  }
  const held = await heldIn(context, from, [...moved.keys()]);
  if (held.length < moved.size) throw new InvalidInputError(CHANGED);
  return moved;
}

const CHANGED =
  'Memory forgot some turns of this conversation while it was moved, so it stays where it is; try again';

interface Moved {
  readonly to: string;
  readonly folder: string | null;
  /** New turns by the old ones. */
  readonly moved: ReadonlyMap<string, string>;
}

/**
 * Its messages are of the new turns; of its citations, those of turns that stay behind lead nowhere. Answers of other
 * conversations keep their words and lose the citations of turns that go.
 */
function rewrite({ store }: AppContext, id: string, { to, folder, moved }: Moved): void {
  const turned = (turns: readonly string[]) => turns.flatMap((turn) => moved.get(turn) ?? []);
  const keys = newKeys({ store }, id, to);
  for (const message of store.messages.of(id)) {
    const { own, remembered, citations, memoryKey } = message;
    const cited = citations.flatMap(({ sources }) => sources.map(({ episode }) => episode));
    store.messages.unlink(message.id, [...own, ...cited]);
    store.messages.update(message.id, {
      own: turned(own),
      remembered: remembered && { ...remembered, turns: turned(remembered.turns) },
      citations: citations.map((citation) => ({
        ...citation,
        sources: citation.sources.flatMap((each) => {
          const episode = moved.get(each.episode);
          return episode === undefined ? [] : [{ ...each, episode }];
        }),
      })),
      why: null,
    });
    store.file.run('UPDATE message SET memory_key = ? WHERE id = ?', [keys.get(memoryKey)!, message.id]);
  }
  for (const [old, now] of moved)
    store.file.run(
      `UPDATE OR IGNORE attachment_turn SET episode = ?
       WHERE episode = ? AND message IN (SELECT id FROM message WHERE conversation = ?)`,
      [now, old, id],
    );
  for (const part of [store, ...(store.hidden === null ? [] : [store.hidden])]) uncite(part, moved);
  store.conversations.update(id, { scope: to, folder });
}

function uncite({ messages }: AppStore, gone: ReadonlyMap<string, string>): void {
  for (const { id, citations } of messages.withTurns([...gone.keys()])) {
    messages.update(id, {
      citations: citations.flatMap((citation) => {
        const sources = citation.sources.filter(({ episode }) => !gone.has(episode));
        return sources.length === 0 && citation.sources.length > 0 ? [] : [{ ...citation, sources }];
      }),
    });
    messages.unlink(id, [...gone.keys()]);
  }
}
