import type { MessageAttachment } from '../message-records.ts';
import type { TelegramMessage } from './schema.ts';

const KINDS: Readonly<Record<string, string>> = {
  sticker: 'sticker',
  video_file: 'video',
  video_message: 'video',
  animation: 'image',
  voice_message: 'audio',
  audio_file: 'audio',
};
/** What stands in the place of a file that was not exported along. */
const NOT_EXPORTED = /^\(.*\)$/s;

/** What a message says, with what it shows. Nothing of a picture but that it is one is no content. */
export function messageContent(message: TelegramMessage) {
  const own = [message.text.trim(), placeOf(message), contactOf(message), pollOf(message)]
    .filter((part) => part !== '')
    .join('\n');
  const from = message.forwarded_from?.trim();
  const content = from && own !== '' ? `Forwarded from ${from}: ${own}` : own;
  const media = mediaOf(message);
  return { content, attachments: media === null || (content === '' && isMute(media)) ? [] : [media] };
}

function isMute({ description, uri }: MessageAttachment): boolean {
  return description === '' && uri === undefined;
}

function mediaOf(message: TelegramMessage): MessageAttachment | null {
  const { file, file_name, media_type, mime_type, performer, photo, sticker_emoji, title } = message;
  const place = photo ?? file;
  if (place == null && media_type == null) return null;
  const byType = /^(image|video|audio)\//.exec(mime_type ?? '')?.[1];
  const kind = photo != null ? 'image' : (KINDS[media_type ?? ''] ?? byType ?? 'file');
  const song = [performer, title].filter((part) => part).join(': ');
  const description = sticker_emoji ?? (song || (file_name ?? ''));
  return { kind, description, uri: place != null && !NOT_EXPORTED.test(place) ? place : undefined };
}

function placeOf({ address, location_information: at, place_name }: TelegramMessage): string {
  if (at == null) return '';
  const named = [place_name, address].filter((part) => part).join(', ');
  return `Location: ${named === '' ? '' : `${named} `}(${at.latitude}, ${at.longitude})`;
}

function contactOf({ contact_information: contact }: TelegramMessage): string {
  if (contact == null) return '';
  const { first_name, last_name, phone_number } = contact;
  return `Contact: ${[first_name, last_name, phone_number].filter((part) => part).join(' ')}`;
}

function pollOf({ poll }: TelegramMessage): string {
  if (poll == null) return '';
  return [`Poll: ${poll.question}`, ...poll.answers.map(({ text }) => `- ${text}`)].join('\n');
}
