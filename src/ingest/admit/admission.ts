import type { Attachment } from '../../model/nodes.ts';
import { RECORD_URI } from '../../model/turn-input.ts';
import type { TurnMetadata } from '../../model/turn-metadata.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../../util/collections.ts';
import { describeRule, type NeverRemember } from './never-remember.ts';
import type { ReadTurn, TurnReading } from './read-turn.ts';
import { type FoundSecret, REDACTED, redactGradually, redactSecrets } from './redact-secrets.ts';

/** The checks and redactions that run before anything is stored. */
export interface Admission {
  /** Whether keys, card numbers, passwords and the like are redacted. */
  readonly redactsSecrets: boolean;
  /** Tests texts against the user's `neverRemember` rules; null without such rules. */
  readonly neverRemember: NeverRemember | null;
}

/**
 * Returns a turn as it may be stored, or the reason for its rejection. The reason names the rule, never text of the
 * turn.
 */
export async function admit(
  reading: TurnReading,
  { redactsSecrets, neverRemember }: Admission,
  breather = new Breather(),
): Promise<TurnReading> {
  if (!reading.ok) return reading;
  const { turn } = reading;
  const broken = neverRemember?.(textsOf(turn)) ?? null;
  if (broken !== null) return { ok: false, reason: describeRule(broken), isMalformed: false };
  if (!redactsSecrets) return reading;
  const found = new Map<string, FoundSecret>();
  const clean = async (text: string) => {
    const redaction = await redactGradually(text, breather);
    for (const { kind, count } of redaction.found)
      found.set(kind, { kind, count: count + (found.get(kind)?.count ?? 0) });
    return redaction.text;
  };
  const content = await clean(turn.content);
  const attachments: Attachment[] = [];
  for (const { kind, description, uri } of turn.attachments)
    attachments.push({
      kind,
      description: await clean(description),
      // Who makes a record redacts it: in the text of its JSON, a redaction could take parts of the structure.
      ...(uri === undefined ? {} : { uri: uri.startsWith(RECORD_URI) ? uri : await clean(uri) }),
    });
  const metadata = await cleanFields(turn.metadata, clean);
  if (found.size === 0) return reading;
  return { ok: true, turn: { ...turn, content, attachments, metadata, redacted: [...found.values()] } };
}

async function cleanFields(
  fields: TurnMetadata,
  clean: (text: string) => Promise<string>,
): Promise<TurnMetadata> {
  // Some secrets are recognized by the word before them.
  const cleanText = async (name: string, text: string) => {
    const told = `${name}: `;
    const cleaned = await clean(told + text);
    return cleaned.startsWith(told) ? cleaned.slice(told.length) : clean(text);
  };
  const cleanField = async (name: string, value: TurnMetadata[string]) => {
    if (typeof value === 'string') return cleanText(name, value);
    if (!Array.isArray(value)) return value;
    return Promise.all(value.map((each) => (typeof each === 'string' ? cleanText(name, each) : each)));
  };
  const entries = Object.entries(fields).map(async ([name, value]) => [name, await cleanField(name, value)]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Every text of a turn that its caller wrote, including the names of its session and source. */
function textsOf({ content, speaker, session, source, sourceId, attachments, metadata }: ReadTurn): string[] {
  const attached = attachments.flatMap(({ kind, description, uri }) => [kind, description, uri ?? '']);
  return [content, speaker, session, source, sourceId ?? '', ...attached, ...stringsIn(metadata)];
}

/** Returns the text without its secrets if the admission redacts secrets, else the text itself. */
export function admitText(text: string, { redactsSecrets }: Pick<Admission, 'redactsSecrets'>): string {
  return redactsSecrets ? redactSecrets(text).text : text;
}

/** Whether a text consists of redaction marks only. */
export function isOnlyRedacted(text: string): boolean {
  return text.includes(REDACTED) && !/[\p{L}\p{N}]/u.test(text.replace(/\[redacted: [^\]]*\]/g, ''));
}
