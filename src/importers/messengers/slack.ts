import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import { type ChatFormat, chatImporter, type ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { idSchema } from '../json/json-format.ts';
import { readElements } from '../json/read-elements.ts';
import type { MessageAttachment } from '../message-records.ts';
import { roleAmongPeople, type SaidMessage, saidRecords } from '../said.ts';

const text = z.string().nullish().catch(null);

const userSchema = z.object({
  id: idSchema,
  name: text,
  real_name: text,
  profile: z.object({ real_name: text, display_name: text }).nullish().catch(null),
});
const fileSchema = z.object({ name: text, title: text, mimetype: text });

const messageSchema = z.object({
  type: text,
  subtype: text,
  user: text,
  username: text,
  user_profile: z.object({ real_name: text, display_name: text }).nullish().catch(null),
  text,
  ts: z.string(),
  files: z.array(fileSchema).nullish().catch(null),
});
type SlackMessage = z.output<typeof messageSchema>;

const SOURCE = 'slack';
const USERS = /(?:^|\/)(?:users|org_users)\.json$/i;
const DAY = /(?:^|\/)([^/]+)\/\d{4}-\d\d-\d\d\.json$/;

const format: ChatFormat = {
  name: SOURCE,
  description: 'Slack: the export of a workspace (zip or folder), or one day of a channel',
  wanted: (name) => USERS.test(name) || DAY.test(`/${name}`),
  recognize: ({ keys, isWithin }) =>
    (keys.has('[].ts') && keys.has('[].type') && (keys.has('[].user') || keys.has('[].bot_id'))) ||
    (isWithin && keys.has('[].team_id') && keys.has('[].profile'))
      ? 'its messages have "ts" and "user" as Slack writes them'
      : null,
  records: (file, context) => (USERS.test(file.name) ? none() : dayRecords(file, context)),
};
export const slackImporter = chatImporter(format);

/** The list of people has no messages. */
async function* none(): AsyncGenerator<ImportRecord> {}

/** People of a workspace by id, read once for each import. */
const peopleOf = new WeakMap<ReadContext, Promise<ReadonlyMap<string, string>>>();

function people(context: ReadContext): Promise<ReadonlyMap<string, string>> {
  const known = peopleOf.get(context) ?? readPeople(context);
  peopleOf.set(context, known);
  return known;
}

async function readPeople(context: ReadContext): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const file of context.files.files.filter(({ name }) => USERS.test(name)))
    for await (const element of readElements(file, context)) {
      const { data } = userSchema.safeParse('value' in element ? element.value : undefined);
      if (data !== undefined)
        names.set(data.id, nameOf(data.profile) ?? data.real_name ?? data.name ?? data.id);
    }
  return names;
}

const nameOf = (profile: SlackMessage['user_profile']) =>
  [profile?.real_name, profile?.display_name].find((name) => name != null && name.trim() !== '') ?? undefined;

async function* dayRecords(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  const names = await people(context);
  const channel = DAY.exec(`/${file.name}`)?.[1] ?? context.settings.conversation ?? 'channel';
  const said: SaidMessage[] = [];
  for await (const element of readElements(file, context)) {
    const where = `${context.in(file)}message ${element.number}`;
    const { data, error } = messageSchema.safeParse('value' in element ? element.value : undefined);
    if ('problem' in element) yield rejected(where, element.problem);
    else if (data === undefined) yield rejected(where, describeIssues(error));
    else said.push(messageOf(data, { where, names, context }));
  }
  const place = { where: file.name, context, nearTime: null };
  yield* saidRecords(said, { source: SOURCE, id: channel, title: `#${channel}` }, place);
}

/** Subtypes that say something; the others are notes, such as who joined. */
const SPEECH: ReadonlySet<string> = new Set([
  '',
  'bot_message',
  'thread_broadcast',
  'me_message',
  'file_share',
]);

function messageOf(
  message: SlackMessage,
  { where, names, context }: { where: string; names: ReadonlyMap<string, string>; context: ReadContext },
): SaidMessage {
  const { ts, user, username, subtype, files } = message;
  const speaker = nameOf(message.user_profile) ?? names.get(user ?? '') ?? username ?? user ?? 'somebody';
  const isBot = subtype === 'bot_message';
  const attachments = (files ?? []).flatMap(({ name, title, mimetype }): MessageAttachment[] => {
    const kind = mimetype?.startsWith('image/') ? 'image' : 'file';
    return [{ kind, description: title ?? name ?? kind }];
  });
  return {
    ...{ where, speaker, attachments, id: ts, time: Number(ts) },
    role: isBot ? 'other' : roleAmongPeople(speaker, context),
    content: plainText(message.text ?? '', names),
    leftOut: SPEECH.has(subtype ?? '') ? undefined : 'a note of Slack, such as who joined',
  };
}

/** Names for ids, words for links, and signs for entities. */
function plainText(marked: string, names: ReadonlyMap<string, string>): string {
  return marked
    .replace(
      /<@([A-Z0-9]+)(?:\|([^>]*))?>/g,
      (_, id: string, label?: string) => `@${names.get(id) ?? label ?? id}`,
    )
    .replace(/<#[A-Z0-9]+\|([^>]*)>/g, '#$1')
    .replace(/<!(?:subteam\^\w+\|)?@?([^>|]+)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<(?:https?|mailto):[^>|]*\|([^>]*)>/g, '$1')
    .replace(/<((?:https?|mailto):[^>|]*)>/g, '$1')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
