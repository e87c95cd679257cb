import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import {
  assumedTime,
  branchesOf,
  CONVERSATION_FILES,
  type ConversationPlace,
  conversationsOf,
  digestOf,
  type MessageAttachment,
  messageRecords,
  readIsoTime,
} from '../message-records.ts';
import { textIn, unknownKind } from '../unknown-content.ts';
import { CLAUDE_MEMORIES, claudeMemories } from './memories.ts';
import {
  blockSchema,
  type ClaudeAttached,
  type ClaudeConversation,
  type ClaudeMessage,
  conversationSchema,
  messageSchema,
} from './schema.ts';

interface ClaudeContent {
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
  /** Reasons for skipping its blocks. */
  readonly leftOut: readonly string[];
}

const NO_SPEECH: readonly { readonly type: RegExp; readonly reason: string }[] = [
  { type: /thinking$/, reason: 'reasoning of a model' },
  { type: /tool_use$/, reason: 'the call of a tool' },
  { type: /tool_result$/, reason: 'what a tool returned' },
  { type: /^token_budget$/, reason: 'a count of tokens' },
  { type: /^flag$/, reason: 'a note of Claude’s filters' },
];

function messageContent(message: ClaudeMessage): ClaudeContent {
  const texts: string[] = [];
  const leftOut: string[] = [];
  for (const raw of message.content ?? []) {
    const block = blockSchema.safeParse(raw);
    const type = block.data?.type ?? '';
    const found = NO_SPEECH.find((each) => each.type.test(type));
    const text = found === undefined ? (block.data?.text ?? textIn(raw)) : '';
    if (found !== undefined) leftOut.push(found.reason);
    else if (text !== '' || type === 'text') texts.push(text);
    else leftOut.push(unknownKind('a block', type));
  }
  const said = texts.filter((text) => text.trim() !== '').join('\n\n');
  const attachments = [
    ...(message.attachments ?? []),
    ...(message.files ?? []),
    ...(message.files_v2 ?? []),
  ].flatMap(attachmentOf);
  // Older exports have no blocks. With blocks, `text` repeats them, with marks in place of other kinds.
  const content = said === '' && leftOut.length === 0 ? (message.text ?? '') : said;
  return { content, attachments: unique(attachments), leftOut };
}

function attachmentOf(attached: ClaudeAttached): MessageAttachment[] {
  const { extracted_content, file_kind, file_name, file_type, file_uuid } = attached;
  const description = [file_name, extracted_content].filter((part) => part != null && part !== '').join('\n');
  if (description === '') return [];
  const isImage = file_kind === 'image' || (file_type ?? '').startsWith('image/');
  return [{ kind: isImage ? 'image' : 'file', description, uri: file_uuid ?? undefined }];
}

/** `files_v2` repeats `files`. */
function unique(attachments: readonly MessageAttachment[]): MessageAttachment[] {
  return [...new Map(attachments.map((each) => [JSON.stringify(each), each])).values()];
}

const CLAUDE_SOURCE = 'claude';

const claudeFormat: ChatFormat = {
  name: CLAUDE_SOURCE,
  description: 'Claude: the exported archive, its conversations.json, or one conversation of it',
  wanted: (name) => CONVERSATION_FILES.test(name) || CLAUDE_MEMORIES.test(name),
  recognize: ({ keys }) =>
    keys.has('[].chat_messages') || keys.has('chat_messages')
      ? 'its conversations have "chat_messages"'
      : keys.has('[].conversations_memory') || keys.has('conversations_memory')
        ? 'it has a "conversations_memory"'
        : null,
  records: (file, context) =>
    CLAUDE_MEMORIES.test(file.name) ? claudeMemories(file, context) : readConversations(file, context),
};
const readConversations = conversationsOf(conversationSchema, conversationRecords);
export const claudeImporter = chatImporter(claudeFormat);

interface PlacedMessage {
  readonly message: ClaudeMessage;
  readonly where: string;
}

function* conversationRecords(data: ClaudeConversation, place: ConversationPlace): Generator<ImportRecord> {
  const { where, context } = place;
  const title = data.name || data.title || undefined;
  const id = data.uuid ?? `unnamed-${digestOf([data.created_at, title])}`;
  if (context.known.has(id)) {
    yield rejected(where, 'an earlier conversation has the same uuid');
    return;
  }
  context.known.add(id);
  const messages = new Map<string, PlacedMessage>();
  for (const [position, raw] of data.chat_messages.entries()) {
    const place = `${where}, message ${position + 1}`;
    const parsed = messageSchema.safeParse(raw);
    if (!parsed.success) yield rejected(place, describeIssues(parsed.error));
    else if (messages.has(parsed.data.uuid)) yield rejected(place, 'an earlier message has the same uuid');
    else messages.set(parsed.data.uuid, { message: parsed.data, where: place });
  }
  const start = knownTime(data.created_at) ?? knownTime(data.updated_at);
  for (const { ids, isActive } of branchesIn(data, messages)) {
    const session = `${CLAUDE_SOURCE}/${id}${isActive ? '' : `/branch-${ids[0]}`}`;
    const path = ids.map((each) => messages.get(each)!);
    if (isActive || context.settings.branches === 'all')
      yield* pathRecords(path, { ...place, id, session, title, start });
    else for (const each of path) context.leftOut(each.where, 'on a branch that is not the one shown last');
  }
}

/** Most exports only order the messages; some also name each message's parent. */
function branchesIn(data: ClaudeConversation, messages: ReadonlyMap<string, PlacedMessage>) {
  const ids = new Set(messages.keys());
  const leaf = data.current_leaf_message_uuid;
  if (leaf == null || !ids.has(leaf)) return [{ ids: [...ids], isActive: true }];
  return branchesOf(leaf, { ids, parentOf: (id) => messages.get(id)?.message.parent_message_uuid ?? null });
}

interface Path extends ConversationPlace {
  readonly id: string;
  readonly session: string;
  readonly title: string | undefined;
  readonly start: number | null;
}

function* pathRecords(path: readonly PlacedMessage[], about: Path): Generator<ImportRecord> {
  const { context, id, session, title } = about;
  let before =
    about.start ?? path.map(({ message }) => knownTime(message.created_at)).find((at) => at !== null) ?? null;
  for (const { message, where } of path) {
    const time = readIsoTime(message.created_at);
    if (time !== null && 'at' in time) before = time.at;
    const { content, attachments, leftOut } = messageContent(message);
    for (const reason of leftOut) context.leftOut(where, reason);
    const isEmpty = content.trim() === '' && attachments.length === 0;
    if (isEmpty && leftOut.length === 0) context.leftOut(where, 'an empty message');
    if (isEmpty) continue;
    before ??= assumedTime(about);
    if (time !== null && 'problem' in time) yield rejected(where, `created_at: ${time.problem}`);
    else if (before === null) yield rejected(where, 'neither it nor a message before it has a created_at');
    else {
      const said = { content, attachments, at: before, ...speakerOf(message.sender, context) };
      const conversation = { id: session, ...(title === undefined ? {} : { title }) };
      const sourceId = `${id}/${message.uuid}`;
      yield* messageRecords({ ...said, conversation, source: CLAUDE_SOURCE, sourceId }, where);
    }
  }
}

function knownTime(value: unknown): number | null {
  const time = readIsoTime(value);
  return time !== null && 'at' in time ? time.at : null;
}

function speakerOf(sender: string, { settings }: ReadContext) {
  if (sender === 'human' || sender === 'user')
    return { role: 'user', speaker: settings.me ?? 'user' } as const;
  if (sender === 'assistant') return { role: 'assistant', speaker: 'Claude' } as const;
  return { role: 'other', speaker: sender } as const;
}
