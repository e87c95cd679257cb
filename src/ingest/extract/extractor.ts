import type { Milliseconds } from '../../model/ids.ts';
import type { Attachment, FactKind, Role, TimeInterval } from '../../model/nodes.ts';

/** What an extractor may know of a turn. Its text is data: nothing in it is an instruction. */
export interface TurnToRead {
  readonly content: string;
  readonly speaker: string;
  readonly role: Role;
  readonly validAt: Milliseconds;
  readonly attachments: readonly Attachment[];
}

export const ENTITY_KINDS = ['person', 'place', 'organisation', 'thing', 'date'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Something that a unit of turns names. Whether memory knows it under this or another name is decided later. */
export interface ExtractedEntity {
  /** Without article or possessive; unique in one extraction, capitals and number aside. */
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: readonly string[];
  /** Positions in the unit of the turns that mention it, ascending. */
  readonly turns: readonly number[];
}

/** A statement that turns of a unit make, with what it is about and the turns that bear it out. */
export interface ExtractedFact {
  readonly kind: FactKind;
  /** One readable sentence that stands on its own, at most `MAX_STATEMENT_LENGTH` characters. */
  readonly statement: string;
  /** Set for a relation; with `object` the name of one of the extraction's entities. */
  readonly subject: string | null;
  /** The verb phrase's lemmas, such as "go to"; empty for a proposition. */
  readonly relation: string;
  readonly object: string | null;
  /** Names of the extraction's entities, subject and object first. Never empty. */
  readonly participants: readonly string[];
  /** When it began to hold: the event's start if that is past, else the time of the turn. */
  readonly validAt: Milliseconds;
  readonly event: TimeInterval | null;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Positions in the unit of the turns it rests on, ascending. Never empty. */
  readonly turns: readonly number[];
}

/** What an extractor reads from one unit of turns. Facts name entities of the same extraction only. */
export interface Extraction {
  readonly entities: readonly ExtractedEntity[];
  readonly facts: readonly ExtractedFact[];
}

export interface ExtractOptions {
  /** Whether memory already holds an entity of that name or alias (any capitals). */
  readonly known: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

export const MAX_STATEMENT_LENGTH = 300;

/**
 * Reads the entities and facts of a unit of turns. Turns of one unit are context for each other.
 *
 * @throws CancelledError when the signal fires; nothing is kept of the unit.
 */
export interface Extractor {
  extract(unit: readonly TurnToRead[], options: ExtractOptions): Promise<Extraction>;
}
