import type { EpisodeId } from '../../model/ids.ts';
import { Breather } from '../../util/breathe.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { EntityKind } from '../extract/extractor.ts';
import type { DescribedEntity, DescribedExtraction } from '../extract/segment-reader.ts';
import { type NameForm, namesPerson, readName } from './name-form.ts';
import { type Claims, readClaims } from './read-relationships.ts';
import type { EntityEvidence } from './resolution-judge.ts';

/** A segment of a batch, as far as resolution reads it. */
export interface SegmentToResolve {
  readonly session: string;
  /** Names of those who talk in it, each once. */
  readonly speakers: readonly string[];
  readonly extraction: DescribedExtraction;
  /** Its turns, in order, where they are known: what somebody corrected about turns holds for them. */
  readonly episodes?: readonly EpisodeId[];
}

/**
 * What decides how far a name alone says who is meant. A `person` goes by a first name that many have; `named` are
 * full names; `common` is whatever is no person, and people whom a common noun means ("mom", "kids").
 */
export type NameSort = 'speaker' | 'person' | 'named' | 'common';

/** An entity of one segment. */
export interface Mention extends EntityEvidence {
  /** Position in the batch. */
  readonly segment: number;
  readonly session: string;
  readonly entity: DescribedEntity;
  readonly form: NameForm;
  readonly kind: EntityKind;
  readonly sort: NameSort;
  readonly claims: Claims;
  /** The turns that mention it, where they are known. */
  readonly episodes: readonly EpisodeId[];
}

/** Who relays what others say, and so knows everybody by hearsay. */
const HEARSAY: ReadonlySet<string> = new Set(['assistant', 'system', 'tool', 'ai']);
const MOST_STATEMENTS = 20;
const MOST_COMPANY = 30;

/** Entities with a name, in the order of the batch. */
export async function mentionsOf(segments: readonly SegmentToResolve[]): Promise<Mention[]> {
  const mentions: Mention[] = [];
  const breather = new Breather();
  for (const [at, segment] of segments.entries()) {
    const context = readSegment(segment);
    for (const entity of segment.extraction.entities) {
      if (breather.isDue) await breather.breathe();
      const mention = toMention(entity, at, context);
      if (mention !== null) mentions.push(mention);
    }
  }
  return mentions;
}

interface SegmentContext {
  readonly segment: SegmentToResolve;
  readonly speakers: ReadonlySet<string>;
  readonly tellers: ReadonlySet<string>;
  readonly statements: ReadonlyMap<string, readonly string[]>;
  /** Proper names by turn, as keys. */
  readonly named: ReadonlyMap<number, readonly string[]>;
}

function readSegment(segment: SegmentToResolve): SegmentContext {
  const speakers = new Set(segment.speakers.map(entityNameKey));
  const statements = new Map<string, string[]>();
  for (const { participants, statement } of segment.extraction.facts)
    for (const name of new Set(participants)) append(statements, name, statement);
  const named = new Map<number, string[]>();
  for (const { name, kind, turns } of segment.extraction.entities) {
    const { key, isProper } = readName(name);
    if (isProper && kind !== 'date' && !speakers.has(key)) for (const turn of turns) append(named, turn, key);
  }
  return { segment, speakers, tellers: tellersOf(speakers), statements, named };
}

/** Those of the speakers, as name keys, who know whom they speak of. */
export function tellersOf(speakers: Iterable<string>): Set<string> {
  return new Set([...speakers].filter((key) => !HEARSAY.has(key)));
}

function toMention(entity: DescribedEntity, at: number, context: SegmentContext): Mention | null {
  const form = readName(entity.name);
  if (form.key === '') return null;
  const tellers = new Set([...context.tellers].filter((key) => key !== form.key));
  const statements = (context.statements.get(entity.name) ?? []).slice(0, MOST_STATEMENTS);
  const claims = readClaims({
    names: [entity.name, ...entity.aliases],
    texts: [entity.description, ...statements],
    me: tellers.size === 1 ? [...tellers][0] : undefined,
  });
  // An extractor that knows no names calls a person a thing; "Nora's nephew Alex" is none.
  const isPerson =
    entity.kind === 'person' || (entity.kind === 'thing' && form.isProper && claims.roles.size > 0);
  return {
    segment: at,
    session: context.segment.session,
    entity,
    form,
    kind: isPerson ? 'person' : entity.kind,
    sort: sortOf(form, { isPerson, isSpeaker: context.speakers.has(form.key) }),
    claims,
    episodes: entity.turns.flatMap((turn) => context.segment.episodes?.[turn] ?? []),
    statements,
    tellers,
    company: companyOf(entity, form.key, context),
  };
}

function companyOf({ turns }: DescribedEntity, own: string, { named }: SegmentContext): Set<string> {
  const beside: string[] = [];
  // A long turn names hundreds: whoever is beyond the limit is not looked at.
  for (const turn of turns)
    for (const key of named.get(turn) ?? []) {
      if (beside.length >= MOST_COMPANY) return new Set(beside);
      if (key !== own) beside.push(key);
    }
  return new Set(beside);
}

function sortOf(
  form: NameForm,
  { isPerson, isSpeaker }: { isPerson: boolean; isSpeaker: boolean },
): NameSort {
  if (isSpeaker) return 'speaker';
  if (!isPerson || !namesPerson(form)) return 'common';
  return form.isFull ? 'named' : 'person';
}

function append<K>(lists: Map<K, string[]>, key: K, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
