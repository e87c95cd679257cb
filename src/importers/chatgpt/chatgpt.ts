import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import { type Conversation, type ImportRecord, rejected } from '../importer.ts';
import {
  assumedTime,
  branchesOf,
  CONVERSATION_FILES,
  type ConversationPlace,
  conversationsOf,
  digestOf,
  leavesOf,
  type MessageAttachment,
  type MessageTree,
  messageRecords,
  type ReadTime,
  readIsoTime,
  readUnixTime,
} from '../message-records.ts';
import { textIn, unknownKind } from '../unknown-content.ts';
import {
  type ChatGptConversation,
  type ChatGptMessage,
  conversationSchema,
  messageSchema,
  nodeSchema,
  partSchema,
} from './schema.ts';

interface MessageContent {
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
  readonly leftOut: readonly string[];
}

const NO_SPEECH: readonly { readonly kind: RegExp; readonly reason: string }[] = [
  { kind: /^user_editable_context/, reason: 'custom instructions' },
  { kind: /^model_editable_context/, reason: 'content of ChatGPT’s own memory' },
  { kind: /^(?:thoughts?|reasoning)(?:_|$)/, reason: 'reasoning of a model' },
  { kind: /^system_error/, reason: 'an error of ChatGPT' },
];

/** Marks of citations, in characters that no font shows. */
const CITATION = /\ue200[^\ue201]{0,500}\ue201/g;

function messageContent(message: ChatGptMessage): MessageContent {
  const reason = noSpeech(message);
  if (reason !== null) return { content: '', attachments: [], leftOut: [reason] };
  const parts = partsOf(message);
  const isEmpty = parts.content.trim() === '' && parts.attachments.length === 0 && parts.leftOut.length === 0;
  return isEmpty ? { ...parts, leftOut: [emptyReason(message.content)] } : parts;
}

/** Why the whole message is skipped; null if it is not. */
function noSpeech({ author, content, metadata, recipient, weight }: ChatGptMessage): string | null {
  if (metadata?.is_user_system_message === true) return 'custom instructions';
  const found = NO_SPEECH.find(({ kind }) => kind.test(content.content_type ?? ''));
  if (found !== undefined) return found.reason;
  if (metadata?.is_visually_hidden_from_conversation === true || weight === 0) return 'a hidden message';
  if (author.role === 'system') return 'an instruction of the system';
  return author.role === 'assistant' && recipient && recipient !== 'all' ? 'the call of a tool' : null;
}

function partsOf({ content, metadata }: ChatGptMessage): MessageContent {
  const texts: string[] = [];
  const attachments: MessageAttachment[] = [];
  const leftOut: string[] = [];
  for (const part of content.parts ?? []) {
    if (typeof part === 'string') texts.push(part);
    else if (part !== null) {
      const { text, attachment, unknown } = readPart(part);
      if (text !== undefined) texts.push(text);
      if (attachment !== undefined) attachments.push(attachment);
      if (unknown !== undefined) leftOut.push(unknown);
    }
  }
  if (texts.length === 0) texts.push(ownText(content));
  const files = metadata?.attachments ?? [];
  return {
    content: texts
      .map((text) => text.replace(CITATION, ''))
      .filter((text) => text.trim() !== '')
      .join('\n\n'),
    attachments: [...attachments.map((each) => named(each, files)), ...others(attachments, files)],
    leftOut,
  };
}

/** Kinds whose text is in the fields that `ownText` or `partsOf` reads. */
const KNOWN_KIND =
  /^(?:text|multimodal_text|code|execution_output|tether_(?:browsing_display|quote)|sonic_webpage)$/;

/** For kinds with text outside the parts: code, output of a program, a web page, and kinds that are not known. */
function ownText(content: ChatGptMessage['content']): string {
  const { content_type, language, result, text, title, url } = content;
  const said = text ?? result ?? '';
  if (content_type === 'code') return said.trim() === '' ? '' : `\`\`\`${language ?? ''}\n${said}\n\`\`\``;
  const own = [title, url, said].filter((line) => line != null && line.trim() !== '').join('\n');
  if (KNOWN_KIND.test(content_type ?? '')) return own;
  const { parts: _, ...fields } = content;
  return said.trim() === '' ? textIn(fields) : own;
}

function emptyReason({ content_type }: ChatGptMessage['content']): string {
  return content_type == null || KNOWN_KIND.test(content_type)
    ? 'an empty message'
    : unknownKind('a message', content_type);
}

function readPart(part: unknown): { text?: string; attachment?: MessageAttachment; unknown?: string } {
  const parsed = partSchema.safeParse(part);
  const { asset_pointer, content_type, metadata, text } = parsed.data ?? {};
  const type = content_type ?? '';
  if (text != null) return { text };
  const kind = /image/.test(type)
    ? 'image'
    : /audio/.test(type)
      ? 'audio'
      : /video/.test(type)
        ? 'video'
        : null;
  if (kind === null) {
    const found = textIn(part);
    return found === '' ? { unknown: unknownKind('a part', content_type) } : { text: found };
  }
  const description = metadata?.dalle?.prompt ?? '';
  return { attachment: { kind, description, uri: asset_pointer ?? undefined } };
}

type Files = NonNullable<NonNullable<ChatGptMessage['metadata']>['attachments']>;

/** A picture's only description may be its file name. */
function named(attachment: MessageAttachment, files: Files): MessageAttachment {
  if (attachment.description !== '') return attachment;
  const file = files.find(({ id }) => id && attachment.uri?.endsWith(id));
  return { ...attachment, description: file?.name ?? '' };
}

function others(shown: readonly MessageAttachment[], files: Files): MessageAttachment[] {
  return files
    .filter(({ id }) => !shown.some(({ uri }) => id && uri?.endsWith(id)))
    .flatMap(({ id, mime_type, name }) =>
      name
        ? [
            {
              kind: mime_type?.startsWith('image/') ? 'image' : 'file',
              description: name,
              uri: id ?? undefined,
            },
          ]
        : [],
    );
}

const CHATGPT_SOURCE = 'chatgpt';

const chatGptFormat: ChatFormat = {
  name: CHATGPT_SOURCE,
  description: 'ChatGPT: the exported archive, its conversations.json, or one conversation of it',
  wanted: (name) => CONVERSATION_FILES.test(name),
  recognize: ({ keys }) =>
    keys.has('[].mapping') || keys.has('mapping') ? 'its conversations have a "mapping" of messages' : null,
  records: conversationsOf(conversationSchema, conversationRecords),
};
export const chatGptImporter = chatImporter(chatGptFormat);

function* conversationRecords(data: ChatGptConversation, place: ConversationPlace): Generator<ImportRecord> {
  const { where, context } = place;
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
    const start = knownTime(timeOf(data.create_time)) ?? knownTime(timeOf(data.update_time));
    if (branch.isActive || context.settings.branches === 'all')
      yield* pathRecords(branch.ids, { ...place, nodes, numbers, id, conversation, start });
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

/** The last message shown; if the file does not name it, the newest message without a reply. */
function activeLeaf(
  { current_node }: ChatGptConversation,
  tree: MessageTree,
  nodes: ReadonlyMap<string, unknown>,
): string {
  if (current_node != null && tree.ids.has(current_node)) return current_node;
  let [newest, newestAt] = ['', Number.NEGATIVE_INFINITY];
  for (const leaf of leavesOf(tree)) {
    const message = messageSchema.safeParse(messageOf(nodes.get(leaf)));
    const at = (message.success ? knownTime(timeOf(message.data.create_time)) : null) ?? 0;
    if (at >= newestAt) [newest, newestAt] = [leaf, at];
  }
  return newest;
}

interface Path extends ConversationPlace {
  readonly nodes: ReadonlyMap<string, unknown>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly id: string;
  readonly conversation: Conversation;
  /** Start of the conversation, for messages without a time before the first message with one. */
  readonly start: number | null;
}

function* pathRecords(ids: readonly string[], path: Path): Generator<ImportRecord> {
  let before = path.start ?? firstTime(ids, path.nodes);
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
    const time = timeOf(parsed.data.create_time);
    before = knownTime(time) ?? before;
    for (const reason of said.leftOut) path.context.leftOut(where, reason);
    if (said.content.trim() === '' && said.attachments.length === 0) continue;
    before ??= assumedTime(path);
    if (time !== null && 'problem' in time) yield rejected(where, `create_time: ${time.problem}`);
    else if (before === null) yield rejected(where, 'neither it nor a message before it has a create_time');
    else {
      const { id, conversation } = path;
      const { attachments, content } = said;
      const speech = { attachments, content, ...speakerOf(parsed.data.author, path.context), at: before };
      yield* messageRecords(
        { ...speech, conversation, source: CHATGPT_SOURCE, sourceId: `${id}/${node}` },
        where,
      );
    }
  }
}

/** The first time of a path, for the messages before it. */
function firstTime(ids: readonly string[], nodes: ReadonlyMap<string, unknown>): number | null {
  for (const id of ids) {
    const message = messageSchema.safeParse(messageOf(nodes.get(id)));
    const at = message.success ? knownTime(timeOf(message.data.create_time)) : null;
    if (at !== null) return at;
  }
  return null;
}

/** Seconds since 1970; some programs write ISO 8601. */
function timeOf(value: unknown): ReadTime | null {
  return typeof value === 'string' && Number.isNaN(Number(value)) ? readIsoTime(value) : readUnixTime(value);
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
