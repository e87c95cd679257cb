import { z } from 'zod';
import { idSchema } from '../json/json-format.ts';
import { textIn } from '../unknown-content.ts';

/** A chat; its messages are checked one by one, so here they are unknown. */
export const chatSchema = z.object({
  id: idSchema.nullish().catch(null),
  name: z.string().nullish().catch(null),
  type: z.string().nullish().catch(null),
  messages: z.array(z.unknown()),
});
export type TelegramChat = z.output<typeof chatSchema>;

const chatListSchema = z.object({ list: z.array(z.unknown()) });

/** The export of all chats; chats that the user left are in a separate list. */
export const exportSchema = z.object({
  chats: chatListSchema.nullish(),
  left_chats: chatListSchema.nullish(),
});

const text = z.string().nullish().catch(null);

/** Plain text, or pieces of which some are bold, links or mentions; another form keeps the text in it. */
const textSchema = z.union([
  z.string(),
  z
    .array(z.union([z.string(), z.object({ text: z.string() }).transform((piece) => piece.text)]))
    .transform((pieces) => pieces.join('')),
  z.union([z.looseObject({}), z.array(z.looseObject({}))]).transform(textIn),
]);

/** Fields of a message that hold nothing that was said in it. */
export const NOT_CONTENT =
  /^(?:id|type|date|edited|.*_unixtime|from|from_id|author|text|text_entities|forwarded_from(?:_id)?|saved_from.*|reply_.*|reply_to_.*|via_bot.*|inline_bot_.*|reactions|photo|file|file_name|thumbnail.*|media_type|media_spoiler|mime_type|sticker_emoji|performer|title|width|height|duration_seconds|.*_file_size|file_size|self_destruct_period_seconds|contact_vcard.*|live_location_period_seconds|place_name|address|paid_.*|boosts?.*|views|forwards|grouped_id|topic_id)$/;

export const messageSchema = z.object({
  id: idSchema.nullish().catch(null),
  type: text,
  date: z.unknown().optional(),
  date_unixtime: z.unknown().optional(),
  from: text,
  from_id: idSchema.nullish().catch(null),
  text: textSchema.nullish().transform((said) => said ?? ''),
  text_entities: textSchema.nullish().catch(null),
  reply_to_message_id: idSchema.nullish().catch(null),
  forwarded_from: text,
  media_type: text,
  sticker_emoji: text,
  photo: text,
  file: text,
  file_name: text,
  mime_type: text,
  performer: text,
  title: text,
  contact_information: z
    .object({ first_name: text, last_name: text, phone_number: text })
    .nullish()
    .catch(null),
  location_information: z.object({ latitude: z.number(), longitude: z.number() }).nullish().catch(null),
  place_name: text,
  address: text,
  poll: z
    .object({ question: z.string(), answers: z.array(z.object({ text: z.string() })).catch([]) })
    .nullish()
    .catch(null),
});
export type TelegramMessage = z.output<typeof messageSchema>;
