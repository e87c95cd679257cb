import type { MessageAttachment } from '../message-records.ts';
import { blockSchema, type ClaudeAttached, type ClaudeMessage } from './schema.ts';

export interface ClaudeContent {
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
  /** Why blocks of it were passed over. */
  readonly leftOut: readonly string[];
}

const NO_SPEECH: Readonly<Record<string, string>> = {
  thinking: 'what a model thought to itself',
  redacted_thinking: 'what a model thought to itself',
  tool_use: 'the call of a tool',
  tool_result: 'what a tool returned',
  token_budget: 'a count of tokens',
  flag: 'a note of Claude’s filters',
};

export function messageContent(message: ClaudeMessage): ClaudeContent {
  const texts: string[] = [];
  const leftOut: string[] = [];
  for (const raw of message.content ?? []) {
    const block = blockSchema.safeParse(raw);
    const type = block.data?.type ?? '';
    const reason = NO_SPEECH[type];
    if (reason !== undefined) leftOut.push(reason);
    else if (block.data?.text != null) texts.push(block.data.text);
    else leftOut.push('a block of an unknown kind');
  }
  const said = texts.filter((text) => text.trim() !== '').join('\n\n');
  const attachments = [
    ...(message.attachments ?? []),
    ...(message.files ?? []),
    ...(message.files_v2 ?? []),
  ].flatMap(attachmentOf);
  // Older exports have no blocks; beside blocks `text` says the same, with marks where they were no text.
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
