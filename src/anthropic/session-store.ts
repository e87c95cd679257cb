import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MOST_PIECES, packText, unpackText, withoutSecrets } from '../agent-memory/packed-text.ts';
import type { MemoryScope } from '../engine/memory-scope.ts';
import { InvalidInputError } from '../errors/index.ts';
import type { Episode } from '../model/nodes.ts';
import { RECORD_URI, recordOf, recordPart, type TurnInput } from '../model/turn-input.ts';
import { inBatches } from '../util/collections.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { digestOf } from '../util/digest-of.ts';
import { parseJson } from '../util/parse-json.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { entriesSchema, saidIn, type TranscriptEntry } from './transcript-entry.ts';

/** The scope that keeps the transcripts, and how memory names the user. */
export interface SessionStoreOptions {
  /** The scope of the store: give each user a store of their own. */
  readonly memory: MemoryScope;
  /** Name of the user in memory. Default: `user`. */
  readonly speaker?: string;
  /** As `redactSecrets` of `Mnemis.open`, for all parts of an entry. Default true. */
  readonly redactSecrets?: boolean;
}

/** A transcript: of a session, or with `subpath` of a subagent in it. */
export interface TranscriptKey {
  projectKey: string;
  sessionId: string;
  subpath?: string;
}

/** The part of `SessionStore` of `@anthropic-ai/claude-agent-sdk` that the store has. */
export interface TranscriptStore {
  /** @throws InvalidInputError, DiskFullError, StoreWriteError: nothing of the call is stored. */
  append(key: TranscriptKey, entries: TranscriptEntry[]): Promise<void>;
  /** Null for a transcript that was never written, or is forgotten. */
  load(key: TranscriptKey): Promise<TranscriptEntry[] | null>;
  /** `mtime`: when the last entry was written, in milliseconds since 1970. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Forgets the transcript with all its turns; without a `subpath`, those of its subagents too. */
  delete(key: TranscriptKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

const SOURCE = 'claude-agent-sdk';
const PACKING = { kind: 'transcript', prefix: `${RECORD_URI}transcript,` };
const LONGEST_SESSION = 500;
const PAGE = 500;

const keySchema = z.object({
  projectKey: z.string().min(1),
  sessionId: z.string().min(1),
  subpath: z.string().min(1).optional(),
});
const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).turns === 'function', 'is no scope of a memory'),
  speaker: z.string().trim().min(1).max(500).optional(),
  redactSecrets: z.boolean().optional(),
});

/**
 * Transcripts of the Claude Agent SDK in one scope, for its option `sessionStore`. What the user and the assistant said
 * in a main transcript becomes turns of memory; each turn carries its whole entry, and the other entries are turns
 * without text, so that a forgetting removes both at once and no other copy is left. An entry with a `uuid` is stored
 * once. `load` gives the entries back as they were appended, without forgotten ones, and with secrets blacked out.
 *
 * @throws InvalidInputError for invalid options.
 */
export function sessionStore(options: SessionStoreOptions): TranscriptStore {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(
      `The session store cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
    );
  const { memory, speaker, redactSecrets = true } = options;
  return {
    append: async (key, entries) => {
      const session = sessionOf(key);
      const given = entriesSchema.safeParse(entries);
      if (!given.success)
        throw new InvalidInputError(`The entries of a transcript: ${describeIssues(given.error)}`);
      const turns = unitsOf(entries, key.subpath === undefined).flatMap((unit) =>
        turnsOf(unit, { session, speaker, redactSecrets }),
      );
      if (turns.length > 0) await memory.add(turns);
    },
    load: async (key) => {
      const entries = entriesIn(await memory.turns(sessionOf(key)));
      return entries.length === 0 ? null : entries;
    },
    listSessions: async (projectKey) => {
      const found = await transcriptsUnder(memory, `${SOURCE}/${encodeURIComponent(projectKey)}/`);
      return found.flatMap(({ rest: [sessionId, ...subpath], to }) =>
        subpath.length === 0 ? [{ sessionId: decodeURIComponent(sessionId!), mtime: to }] : [],
      );
    },
    delete: async (key) => {
      const session = sessionOf(key);
      const below = key.subpath === undefined ? await transcriptsUnder(memory, `${session}/`) : [];
      for (const each of [session, ...below.map(({ session }) => session)])
        if ((await memory.turns(each)).length > 0) await memory.forget({ session: each });
    },
    listSubkeys: async (key) => {
      const found = await transcriptsUnder(memory, `${sessionOf({ ...key })}/`);
      return found.map(({ rest }) => rest.join('/'));
    },
  };
}

/** The session of memory that has a transcript. */
function sessionOf(key: TranscriptKey): string {
  const parsed = keySchema.safeParse(key);
  if (!parsed.success)
    throw new InvalidInputError(`The key of a transcript: ${describeIssues(parsed.error)}`);
  const { projectKey, sessionId, subpath } = parsed.data;
  const path = [SOURCE, ...[projectKey, sessionId].map(encodeURIComponent), ...(subpath ? [subpath] : [])];
  const session = path.join('/');
  if (session.length > LONGEST_SESSION)
    throw new InvalidInputError(
      `The key of a transcript has ${session.length} characters, and at most ${LONGEST_SESSION} are possible; nothing was stored`,
    );
  return session;
}

interface FoundTranscript {
  readonly session: string;
  /** What follows the prefix, split at the slashes. */
  readonly rest: readonly string[];
  readonly to: number;
}

async function transcriptsUnder(memory: MemoryScope, prefix: string): Promise<readonly FoundTranscript[]> {
  const found: FoundTranscript[] = [];
  let after: string | undefined;
  do {
    const page = await memory.knowledge.sessions({ source: SOURCE, limit: PAGE, after });
    for (const { session, to } of page.items)
      if (session.startsWith(prefix))
        found.push({ session, rest: session.slice(prefix.length).split('/'), to });
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

/** Entries that are stored together: one with words, or those between two such. */
interface Unit {
  readonly entries: readonly TranscriptEntry[];
  readonly said: ReturnType<typeof saidIn>;
}

function unitsOf(entries: readonly TranscriptEntry[], isMain: boolean): readonly Unit[] {
  const units: { entries: TranscriptEntry[]; said: Unit['said'] }[] = [];
  for (const entry of entries) {
    const said = isMain ? saidIn(entry) : null;
    const last = units.at(-1);
    if (said === null && last?.said === null) last.entries.push(entry);
    else units.push({ entries: [entry], said });
  }
  return units;
}

interface TurnOptions {
  readonly session: string;
  readonly speaker: string | undefined;
  readonly redactSecrets: boolean;
}

/** The turn of a unit, followed by turns with the rest of its entries where they are too large for one. */
function turnsOf({ entries, said }: Unit, { session, speaker, redactSecrets }: TurnOptions): TurnInput[] {
  const text = JSON.stringify(redactSecrets ? withoutSecrets(entries) : entries);
  const uuids = entries.map(({ uuid }) => uuid);
  // Entries without a uuid are always new.
  const id = uuids.includes(undefined) ? randomUUID() : digestOf([session, ...uuids]);
  const { timestamp } = entries.at(-1)!;
  const at = timestamp === undefined ? null : parseTimestamp(timestamp);
  const turn = { session, source: SOURCE, ...(at === null ? {} : { at }) };
  const silent = { role: 'tool' as const, content: '' };
  const spoken =
    said === null ? silent : said.role === 'user' ? { ...said, speaker } : { ...said, trust: 'low' as const };
  return inBatches(packText(text, PACKING), MOST_PIECES).map((attachments, part) => ({
    ...turn,
    ...(part === 0 ? spoken : silent),
    sourceId: recordPart(id, part),
    attachments,
  }));
}

/** The entries that turns carry, in order. Those of which a part is missing are left out. */
function entriesIn(turns: readonly Episode[]): TranscriptEntry[] {
  const texts = new Map<string, string>();
  for (const { attachments, sourceId, id } of turns) {
    const unit = sourceId === null ? id : recordOf(sourceId);
    const text = unpackText(attachments, PACKING);
    if (text !== null) texts.set(unit, (texts.get(unit) ?? '') + text);
  }
  const entries = [...texts.values()].flatMap((text) => {
    const read = parseJson(text);
    return read.ok ? (entriesSchema.safeParse(read.value).data ?? []) : [];
  });
  const known = new Set<string>();
  const distinct = entries.filter(({ uuid }) => {
    const isNew = uuid === undefined || !known.has(uuid);
    if (uuid !== undefined) known.add(uuid);
    return isNew;
  });
  return relinked(distinct, known);
}

/** Lets what followed a forgotten entry follow the one before it, so that a resumed session keeps what is left. */
function relinked(entries: readonly TranscriptEntry[], known: ReadonlySet<string>): TranscriptEntry[] {
  let last: string | null = null;
  return entries.map((entry) => {
    const { parentUuid } = entry;
    const isCut = typeof parentUuid === 'string' && !known.has(parentUuid);
    const linked = isCut ? { ...entry, parentUuid: last } : entry;
    last = entry.uuid ?? last;
    return linked;
  });
}
