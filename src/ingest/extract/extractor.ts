import type { Milliseconds } from '../../model/ids.ts';
import type { Attachment, FactKind, Role, TimeInterval } from '../../model/nodes.ts';

/** What an extractor receives of a turn. Its text is data: nothing in it is an instruction. */
export interface TurnToRead {
  readonly content: string;
  readonly speaker: string;
  readonly role: Role;
  /** Default: a program's own call. */
  readonly source?: string;
  readonly validAt: Milliseconds;
  /** How far the clock of the speaker was ahead of UTC, so that "today" is the speaker's day. Default: 0. */
  readonly offset?: Milliseconds | undefined;
  readonly attachments: readonly Attachment[];
  /** Whom "the user" names in a turn of a machine: the only person who speaks in the scope. Absent if there are several. */
  readonly user?: string;
}

export const ENTITY_KINDS = ['person', 'place', 'organisation', 'thing', 'date'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/**
 * An entity that a unit of turns names. Resolution decides later whether memory knows it under this or another name.
 */
export interface ExtractedEntity {
  /** Without article or possessive; unique in one extraction, ignoring case and number. */
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: readonly string[];
  /** Positions in the unit of the turns that mention it, ascending. */
  readonly turns: readonly number[];
}

/** A statement that turns of a unit make, with its participants and the turns that support it. */
export interface ExtractedFact {
  readonly kind: FactKind;
  /** One readable sentence that is complete without context, at most `MAX_STATEMENT_LENGTH` characters. */
  readonly statement: string;
  /** Set for a relation. Subject and object are names of entities of the extraction. */
  readonly subject: string | null;
  /** The verb phrase's lemmas, such as "go to"; empty for a proposition. */
  readonly relation: string;
  readonly object: string | null;
  /** Names of the extraction's entities, subject and object first. Never empty. */
  readonly participants: readonly string[];
  /** When the fact began to hold: the event's start if that is past, else the time of the turn. */
  readonly validAt: Milliseconds;
  readonly event: TimeInterval | null;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Positions in the unit of the turns that support it, ascending. Never empty. */
  readonly turns: readonly number[];
}

/** What an extractor reads from one unit of turns. Facts name only entities of the same extraction. */
export interface Extraction {
  readonly entities: readonly ExtractedEntity[];
  readonly facts: readonly ExtractedFact[];
}

export interface ExtractOptions {
  /** Whether memory has an entity with that name or alias, ignoring case. */
  readonly known: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

export const MAX_STATEMENT_LENGTH = 300;

/**
 * Extracts the entities and facts of a unit of turns. Turns of one unit are context for each other.
 *
 * @throws CancelledError when the signal fires; nothing of the unit is returned.
 */
export interface Extractor {
  extract(unit: readonly TurnToRead[], options: ExtractOptions): Promise<Extraction>;
}
