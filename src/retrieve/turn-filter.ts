import { InvalidInputError } from '../errors/index.ts';
import { ROLES } from '../model/codes.ts';
import type { ReadFilter } from '../search/field-filter.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { TALKS } from '../search/talk.ts';
import type { SearchedKind } from './route-settings.ts';

/** Fields that every turn has; `kind` is that of the result. */
const FIELDS = ['kind', 'session', 'speaker', 'role', 'source', 'talk', 'at'];
/** Names of metadata that an error lists. */
const MOST_NAMED = 20;

/** What a filter reads of a turn: what it says of itself, and its metadata, which come first. */
type TurnFields = Readonly<Record<string, unknown>>;

export function fieldsOf(index: ScopeIndex, turn: number, kind: SearchedKind): TurnFields {
  const { timeline, metadata } = index.episodes;
  const session = timeline.session.at(turn);
  return {
    kind,
    session: timeline.sessions[session],
    speaker: timeline.speakers[timeline.speaker.at(turn)],
    role: ROLES[timeline.role.at(turn)],
    source: timeline.sources[timeline.source.at(turn)],
    talk: TALKS[index.talks().ofSessions[session]!],
    at: new Date(timeline.validAt.at(turn)),
    ...metadata.of(turn),
  };
}

/**
 * Refuses a filter on a field that no turn has, which would find nothing without a word. A scope without turns has every
 * field.
 *
 * @throws InvalidInputError
 */
export function checkFilter(filter: ReadFilter | null | undefined, { episodes }: ScopeIndex): void {
  if (filter == null || episodes.conversation.size === 0) return;
  const unknown = [...filter.fields].filter((field) => !FIELDS.includes(field));
  if (unknown.length === 0) return;
  const own = episodes.metadata.names();
  if (unknown.every((field) => own.has(field))) return;
  const known = [...FIELDS, ...[...own].sort().slice(0, MOST_NAMED)].join(', ');
  throw new InvalidInputError(`The filter names a field that no turn of the scope has; known: ${known}`);
}
