import { z } from 'zod';
import { idSchema } from '../json/json-format.ts';

/** A conversation; its messages are checked one by one, so here they are unknown. */
export const conversationSchema = z.object({
  id: idSchema.nullish(),
  conversation_id: idSchema.nullish(),
  title: z.string().nullish().catch(null),
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  current_node: z.string().nullish().catch(null),
  mapping: z.record(z.string(), z.unknown()),
});
export type ChatGptConversation = z.output<typeof conversationSchema>;

/** The position of a message, read even if the message is otherwise invalid. */
export const nodeSchema = z.object({
  parent: z.string().nullish().catch(null),
  message: z.unknown().optional(),
});

/** Content of an unknown kind may have other fields. */
export const contentSchema = z.looseObject({
  content_type: z.string().nullish().catch(null),
  parts: z.array(z.unknown()).nullish().catch(null),
  text: z.string().nullish().catch(null),
  result: z.string().nullish().catch(null),
  language: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  url: z.string().nullish().catch(null),
});
export type ChatGptContent = z.output<typeof contentSchema>;

const fileSchema = z.object({
  id: z.string().nullish().catch(null),
  name: z.string().nullish().catch(null),
  mime_type: z.string().nullish().catch(null),
});

const metadataSchema = z.object({
  is_visually_hidden_from_conversation: z.unknown().optional(),
  is_user_system_message: z.unknown().optional(),
  attachments: z.array(fileSchema).nullish().catch(null),
});

export const messageSchema = z.object({
  author: z.object({ role: z.string(), name: z.string().nullish().catch(null) }),
  create_time: z.unknown().optional(),
  content: contentSchema,
  recipient: z.string().nullish().catch(null),
  weight: z.number().nullish().catch(null),
  metadata: metadataSchema.nullish().catch(null),
});
export type ChatGptMessage = z.output<typeof messageSchema>;

/** A part that is not text: a picture, a recording, a transcript. */
export const partSchema = z.object({
  content_type: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  asset_pointer: z.string().nullish().catch(null),
  metadata: z
    .object({
      dalle: z
        .object({ prompt: z.string().nullish().catch(null) })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});
