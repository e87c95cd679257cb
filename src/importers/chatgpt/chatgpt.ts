import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter } from '../chat-importer.ts';
import { type ReadTime, readUnixTime } from '../chat-times.ts';
import type { Conversation, ImportRecord } from '../importer.ts';
import { digestOf, messageRecords } from '../message-records.ts';
import { branchesOf, leavesOf, type MessageTree } from '../message-tree.ts';
import type { ReadContext } from '../read-context.ts';
import { type ConversationPlace, conversationsOf } from '../read-conversations.ts';
import { rejected } from '../turn-record.ts';
import { messageContent } from './message-content.ts';
import { type ChatGptConversation, conversationSchema, messageSchema, nodeSchema } from './schema.ts';

export const CHATGPT_SOURCE = 'chatgpt';

const FILES = /(?:^|\/)conversations(?:[-_]?\d+)?\.json$/i;

const chatGptFormat: ChatFormat = {
  name: CHATGPT_SOURCE,
  description: 'ChatGPT: the exported archive, its conversations.json, or one conversation of it',
  wanted: (name) => FILES.test(name),
  recognize: ({ keys }) =>
    keys.has('[].mapping') || keys.has('mapping') ? 'its conversations have a "mapping" of messages' : null,
  records: conversationsOf(conversationSchema, conversationRecords),
};
export const chatGptImporter = chatImporter(chatGptFormat);

function* conversationRecords(
  data: ChatGptConversation,
  { where, context }: ConversationPlace,
): Generator<ImportRecord> {
  const id = data.conversation_id ?? data.id ?? `unnamed-${digestOf([data.create_time, data.title])}`;
  if (context.known.has(id)) {
    yield rejected(where, 'an earlier conversation has the same id');
    return;
  }
  context.known.add(id);
  const nodes = new Map(Object.entries(data.mapping));
  const numbers = new Map([...nodes.keys()].map((key, position) => [key, position + 1]));
  const tree = treeOf(nodes);
  for (const branch of branchesOf(activeLeaf(data, tree, nodes), tree)) {
    const session = branch.isActive
      ? `${CHATGPT_SOURCE}/${id}`
      : `${CHATGPT_SOURCE}/${id}/branch-${branch.ids[0]}`;
    const conversation = { id: session, ...(data.title ? { title: data.title } : {}) };
    const start = knownTime(readUnixTime(data.create_time) ?? readUnixTime(data.update_time));
    if (branch.isActive || context.settings.branches === 'all')
      yield* pathRecords(branch.ids, { nodes, numbers, id, conversation, start, where, context });
    else
      for (const each of branch.ids)
        if (messageOf(nodes.get(each)) != null)
          context.leftOut(
            `${where}, message ${numbers.get(each)}`,
            'on a branch that is not the one shown last',
          );
  }
}

function treeOf(nodes: ReadonlyMap<string, unknown>): MessageTree {
  const parents = new Map<string, string | null>();
  for (const [key, raw] of nodes) {
    const node = nodeSchema.safeParse(raw);
    parents.set(key, node.success ? (node.data.parent ?? null) : null);
  }
  return { ids: new Set(nodes.keys()), parentOf: (id) => parents.get(id) ?? null };
}

function messageOf(node: unknown): unknown {
  const parsed = nodeSchema.safeParse(node);
  return parsed.success ? parsed.data.message : undefined;
}

/** Where the chat was left; of a file that does not say it, the newest message that none follows. */
function activeLeaf(
  { current_node }: ChatGptConversation,
  tree: MessageTree,
  nodes: ReadonlyMap<string, unknown>,
): string {
  if (current_node != null && tree.ids.has(current_node)) return current_node;
  let [newest, newestAt] = ['', Number.NEGATIVE_INFINITY];
  for (const leaf of leavesOf(tree)) {
    const message = messageSchema.safeParse(messageOf(nodes.get(leaf)));
    const at = (message.success ? knownTime(readUnixTime(message.data.create_time)) : null) ?? 0;
    if (at >= newestAt) [newest, newestAt] = [leaf, at];
  }
  return newest;
}

interface Path extends ConversationPlace {
  readonly nodes: ReadonlyMap<string, unknown>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly id: string;
  readonly conversation: Conversation;
  /** When the conversation began, for messages without a time before any with one. */
  readonly start: number | null;
}

function* pathRecords(ids: readonly string[], path: Path): Generator<ImportRecord> {
  let before = path.start;
  for (const node of ids) {
    const raw = messageOf(path.nodes.get(node));
    const where = `${path.where}, message ${path.numbers.get(node)}`;
    if (raw === undefined && typeof path.nodes.get(node) !== 'object')
      yield rejected(where, 'is not an object');
    if (raw == null) continue;
    const parsed = messageSchema.safeParse(raw);
    if (!parsed.success) {
      yield rejected(where, describeIssues(parsed.error));
      continue;
    }
    const said = messageContent(parsed.data);
    const time = readUnixTime(parsed.data.create_time);
    before = knownTime(time) ?? before;
    if ('leftOut' in said) path.context.leftOut(where, said.leftOut);
    else if (time !== null && 'problem' in time) yield rejected(where, `create_time: ${time.problem}`);
    else if (before === null) yield rejected(where, 'neither it nor a message before it has a create_time');
    else {
      const { id, conversation } = path;
      const speech = { ...said, ...speakerOf(parsed.data.author, path.context), at: before };
      yield* messageRecords(
        { ...speech, conversation, source: CHATGPT_SOURCE, sourceId: `${id}/${node}` },
        where,
      );
    }
  }
}

function knownTime(time: ReadTime | null): number | null {
  return time !== null && 'at' in time ? time.at : null;
}

function speakerOf(
  { role, name }: { role: string; name?: string | null | undefined },
  { settings }: ReadContext,
) {
  if (role === 'user') return { role: 'user', speaker: settings.me ?? 'user' } as const;
  if (role === 'assistant') return { role: 'assistant', speaker: 'ChatGPT' } as const;
  if (role === 'tool') return { role: 'tool', speaker: name || 'tool' } as const;
  return { role: 'other', speaker: name || role } as const;
}
