import { z } from 'zod';
import { idSchema } from '../json/json-format.ts';

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

/** Plain text, or pieces of which some are bold, links or mentions. */
const textSchema = z.union([
  z.string(),
  z
    .array(z.union([z.string(), z.object({ text: z.string() }).transform((piece) => piece.text)]))
    .transform((pieces) => pieces.join('')),
]);

export const messageSchema = z.object({
  id: idSchema.nullish().catch(null),
  type: text,
  date: z.unknown().optional(),
  date_unixtime: z.unknown().optional(),
  from: text,
  from_id: idSchema.nullish().catch(null),
  text: textSchema.default(''),
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
