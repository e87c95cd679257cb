import { z } from 'zod';
import { idSchema } from '../json/json-format.ts';

/** A conversation; its messages are checked one by one, so here they are unknown. */
export const conversationSchema = z.object({
  uuid: idSchema.nullish(),
  name: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  current_leaf_message_uuid: z.string().nullish().catch(null),
  chat_messages: z.array(z.unknown()),
});
export type ClaudeConversation = z.output<typeof conversationSchema>;

export const blockSchema = z.object({
  type: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
});

const attachedSchema = z.object({
  file_name: z.string().nullish().catch(null),
  file_type: z.string().nullish().catch(null),
  file_kind: z.string().nullish().catch(null),
  file_uuid: z.string().nullish().catch(null),
  extracted_content: z.string().nullish().catch(null),
});
export type ClaudeAttached = z.output<typeof attachedSchema>;

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).nullish().catch(null);

export const messageSchema = z.object({
  uuid: idSchema,
  sender: z.string(),
  text: z.string().nullish(),
  content: listOf(z.unknown()),
  created_at: z.unknown().optional(),
  parent_message_uuid: z.string().nullish().catch(null),
  attachments: listOf(attachedSchema),
  files: listOf(attachedSchema),
  files_v2: listOf(attachedSchema),
});
export type ClaudeMessage = z.output<typeof messageSchema>;
