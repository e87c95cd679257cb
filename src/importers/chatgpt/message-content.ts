import type { MessageAttachment } from '../message-records.ts';
import { type ChatGptMessage, partSchema } from './schema.ts';

/** What a message says, or the reason why it is passed over. */
export type MessageContent =
  | { readonly content: string; readonly attachments: readonly MessageAttachment[] }
  | { readonly leftOut: string };

const NO_SPEECH: Readonly<Record<string, string>> = {
  user_editable_context: 'custom instructions',
  model_editable_context: 'what ChatGPT had in its own memory',
  thoughts: 'what a model thought to itself',
  reasoning_recap: 'what a model thought to itself',
  system_error: 'an error of ChatGPT',
};

/** Marks of citations, in characters that no font shows. */
const CITATION = /\ue200[^\ue201]{0,500}\ue201/g;

export function messageContent(message: ChatGptMessage): MessageContent {
  const { author, content, metadata, recipient, weight } = message;
  const kind = NO_SPEECH[content.content_type ?? ''];
  if (metadata?.is_user_system_message === true) return { leftOut: NO_SPEECH.user_editable_context! };
  if (kind !== undefined) return { leftOut: kind };
  if (metadata?.is_visually_hidden_from_conversation === true || weight === 0)
    return { leftOut: 'a hidden message' };
  if (author.role === 'system') return { leftOut: 'an instruction of the system' };
  if (author.role === 'assistant' && recipient && recipient !== 'all')
    return { leftOut: 'the call of a tool' };
  const parts = partsOf(message);
  if (parts.content.trim() === '' && parts.attachments.length === 0) return { leftOut: 'an empty message' };
  return parts;
}

function partsOf({ content, metadata }: ChatGptMessage) {
  const texts: string[] = [];
  const attachments: MessageAttachment[] = [];
  for (const part of content.parts ?? []) {
    if (typeof part === 'string') texts.push(part);
    else {
      const { text, attachment } = readPart(part);
      if (text !== undefined) texts.push(text);
      if (attachment !== undefined) attachments.push(attachment);
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
  };
}

/** Of kinds that hold their text beside the parts: code, what a program printed, a page that was read. */
function ownText({ content_type, language, result, text, title, url }: ChatGptMessage['content']): string {
  const said = text ?? result ?? '';
  if (content_type === 'code') return `\`\`\`${language ?? ''}\n${said}\n\`\`\``;
  return [title, url, said].filter((line) => line != null && line.trim() !== '').join('\n');
}

function readPart(part: unknown): { text?: string; attachment?: MessageAttachment } {
  const parsed = partSchema.safeParse(part);
  if (!parsed.success) return {};
  const { asset_pointer, content_type, metadata, text } = parsed.data;
  const type = content_type ?? '';
  if (text != null) return { text };
  const kind = /image/.test(type)
    ? 'image'
    : /audio/.test(type)
      ? 'audio'
      : /video/.test(type)
        ? 'video'
        : null;
  if (kind === null) return {};
  const description = metadata?.dalle?.prompt ?? '';
  return { attachment: { kind, description, uri: asset_pointer ?? undefined } };
}

type Files = NonNullable<NonNullable<ChatGptMessage['metadata']>['attachments']>;

/** A picture has no description but perhaps the name of its file. */
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
