import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  MOST_PIECES,
  packText,
  recordText,
  unpackText,
  withoutSecrets,
} from '../agent-memory/packed-text.ts';
import { isRecalled } from '../agent-memory/recall.ts';
import { textOfContent } from '../model/messages/message-blocks.ts';
import { ROLE_OF_MESSAGE } from '../model/messages/read-message.ts';
import type { Episode, Role } from '../model/nodes.ts';
import {
  isRecordPart,
  MAX_CONTENT_LENGTH,
  RECORD_URI,
  recordOf,
  recordPart,
  type TurnInput,
} from '../model/turn-input.ts';
import { parseJson } from '../util/parse-json.ts';

/** An item of a run (`AgentInputItem`), as far as it is read: a message has a role, another item a type. */
export const itemSchema = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
});
export type Item = z.output<typeof itemSchema>;

/** The fields of a stored turn that are read. */
export type StoredTurn = Pick<Episode, 'id' | 'content' | 'role' | 'source' | 'sourceId' | 'attachments'>;

/** An item, and the turns that hold it. */
export interface KeptItem {
  readonly item: Item;
  readonly turns: readonly string[];
}

/** `source` of the turns of a session, and the session of runs that name none. */
export const SOURCE = 'openai-agents';
const PACKING = { kind: 'message', prefix: `${RECORD_URI}item,` };

/** What a message says; of another item, nothing: tools' calls and results are kept, but are no memories. */
export const textOf = ({ role, content }: Item): string =>
  role === undefined ? '' : textOfContent(content).slice(0, MAX_CONTENT_LENGTH).toWellFormed();

/** Whether the session keeps it: not what memory added to the input. */
export const isKept = (item: Item): boolean => !isRecalled(textOf(item));

/**
 * The turns of an item: its text, and the item itself as attachments, unless the text and the role are all of it. An
 * item too large for one turn continues in others.
 */
export function turnsOf(
  item: Item,
  of: { readonly session: string; readonly speaker: string | undefined; readonly redacts: boolean },
): readonly TurnInput[] {
  const { session, speaker, redacts } = of;
  const said = textOf(item);
  const role = roleOf(item);
  const id = randomUUID();
  const turn = {
    session,
    source: SOURCE,
    role,
    trust: role === 'user' ? ('normal' as const) : ('low' as const),
  };
  const first = { ...turn, content: said, sourceId: id, ...(role === 'user' ? { speaker } : {}) };
  const text = recordText(item);
  if (said.trim() !== '' && text === recordText(plainItem(role, said))) return [first];
  const pieces = packText(redacts ? recordText(withoutSecrets(item)) : text, PACKING);
  return Array.from({ length: Math.ceil(pieces.length / MOST_PIECES) }, (_, part) => {
    const attachments = pieces.slice(part * MOST_PIECES, (part + 1) * MOST_PIECES);
    if (part === 0) return { ...first, attachments };
    return { ...turn, content: '', sourceId: recordPart(id, part), attachments };
  });
}

/** The items of a session's turns, in order. Turns that others wrote there become messages; the rest of a forgotten one is none. */
export function itemsOf(turns: readonly StoredTurn[]): readonly KeptItem[] {
  const groups: StoredTurn[][] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    if (!continues(turn)) groups.push([turn]);
    else if (recordOf(turn.sourceId!) === last?.[0]?.sourceId) last.push(turn);
  }
  return groups.flatMap((group) => {
    const item = itemOf(group);
    return item === null ? [] : [{ item, turns: group.map(({ id }) => id) }];
  });
}

const continues = ({ source, sourceId }: StoredTurn): boolean => source === SOURCE && isRecordPart(sourceId);

/** Null for a turn whose text was removed. */
function itemOf(group: readonly StoredTurn[]): Item | null {
  const record = unpackText(
    group.flatMap(({ attachments }) => attachments),
    PACKING,
  );
  const { content, role } = group[0]!;
  if (record === null) return content === '' ? null : plainItem(role, content);
  const reading = parseJson(record);
  return reading.ok ? (itemSchema.safeParse(reading.value).data ?? null) : null;
}

/** The item of a text that has no other fields. */
function plainItem(role: Role, text: string): Item {
  if (role === 'assistant')
    return {
      type: 'message',
      role,
      status: 'completed',
      content: [{ type: 'output_text', text }],
    };
  return { type: 'message', role: role === 'system' ? role : 'user', content: text };
}

function roleOf({ role }: Item): Role {
  if (role === undefined) return 'tool';
  return Object.hasOwn(ROLE_OF_MESSAGE, role)
    ? ROLE_OF_MESSAGE[role as keyof typeof ROLE_OF_MESSAGE]
    : 'other';
}
