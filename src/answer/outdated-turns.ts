import type { EpisodeId, FactId, Milliseconds, Scope } from '../model/ids.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';

/** The statements read from a turn, by whether they still hold. */
export interface OutdatedTurn {
  /** Statements that a newer one superseded. */
  readonly outdated: readonly string[];
  readonly standing: readonly string[];
}
/** By episode id; contains only turns with outdated statements. */
export type OutdatedTurns = ReadonlyMap<string, OutdatedTurn>;

export interface AnswerTime {
  readonly now: Milliseconds;
  /** The time that the question is about; null for the present. */
  readonly asOf: Milliseconds | null;
}

interface Memory {
  readonly scope: Scope;
  readonly store: Pick<GraphStore, 'get' | 'relationships'>;
  readonly index: ScopeIndex;
}

/** By the id of a fact, the facts that superseded it. */
type Newer = ReadonlyMap<string, readonly string[]>;

/**
 * The turns of a search that must not be quoted as they are: a statement supported by the turn (EVIDENCED_BY) has ended
 * or was corrected, and the facts that superseded it (SUPERSEDES, transitively) lead to one that holds. A statement
 * that ended without a newer one does not make its turn outdated. For questions about the past the ended facts
 * themselves may be quoted, with the days on which they held.
 *
 * Reads the SUPERSEDES edges and the index, and rows only of outdated turns.
 */
export async function outdatedTurns(
  memory: Memory,
  { episodes }: Pick<SearchResult, 'episodes'>,
  time: AnswerTime,
): Promise<OutdatedTurns> {
  const newer = await supersessions(memory);
  if (newer.size === 0) return new Map();
  const turns = episodes.map(({ id }) => id);
  const corrected = await correctedIn(turns, newer, memory);
  const readFrom = turns.map((turn) => {
    const facts = memory.index.factsEvidencedBy(turn);
    const outdated = [
      ...facts.filter((fact) => isSuperseded(fact, newer, { memory, time })),
      ...(corrected.get(turn) ?? []),
    ];
    return { turn, outdated, standing: facts.filter((fact) => !outdated.includes(fact)) };
  });
  return withStatements(
    memory,
    readFrom.filter(({ outdated }) => outdated.length > 0),
  );
}

/**
 * Whether a sentence of a turn is outdated: every sentence if nothing else was read from the turn, otherwise those that
 * share more words with an outdated statement than with any that holds.
 */
export function isOutdatedSentence(turn: OutdatedTurn | undefined): (sentence: string) => boolean {
  if (turn === undefined) return () => false;
  const [outdated, standing] = [turn.outdated, turn.standing].map((statements) =>
    statements.map((statement) => [...new Set(analyze(statement))]),
  );
  return (sentence) => {
    const words = new Set(analyze(sentence));
    const shared = (statements: readonly (readonly string[])[]) =>
      statements.reduce(
        (most, terms) => Math.max(most, terms.filter((term) => words.has(term)).length),
        Number.NEGATIVE_INFINITY,
      );
    return shared(outdated!) > shared(standing!);
  };
}

async function supersessions({ scope, store }: Memory): Promise<Newer> {
  const newer = new Map<string, string[]>();
  for await (const batch of store.relationships(scope, 'SUPERSEDES'))
    for (const { from, to } of batch) {
      const known = newer.get(to);
      if (known === undefined) newer.set(to, [from]);
      else known.push(from);
    }
  return newer;
}

/** By turn, the superseded facts that were corrected; a fact that was only removed is not superseded. */
async function correctedIn(
  turns: readonly EpisodeId[],
  newer: Newer,
  { scope, store, index }: Memory,
): Promise<ReadonlyMap<string, readonly FactId[]>> {
  const found = new Map<string, FactId[]>();
  // A corrected fact never held, regardless of when the correction was made.
  const corrected = [...newer.keys()].filter(
    (fact) => !isBelieved(fact, index) && leadsTo(fact, newer, (next) => isBelieved(next, index)),
  );
  if (corrected.length === 0 || turns.length === 0) return found;
  for await (const batch of store.relationships(scope, 'EVIDENCED_BY', { from: corrected, to: turns }))
    for (const { from, to } of batch) found.set(to, [...(found.get(to) ?? []), from as FactId]);
  return found;
}

/** Whether a current fact has ended, and a fact that supersedes it holds. */
function isSuperseded(
  fact: FactId,
  newer: Newer,
  { memory: { index }, time: { asOf, now } }: { readonly memory: Memory; readonly time: AnswerTime },
): boolean {
  const { validity, facts } = index;
  const openAt = asOf ?? now;
  const begunBy = asOf ?? Number.POSITIVE_INFINITY;
  const hasEnded = !validity.isWithin(facts.ids.ordinalOf(fact)!, {
    begunBy: Number.POSITIVE_INFINITY,
    openAt,
  });
  const holds = (next: string) =>
    isBelieved(next, index) && validity.isWithin(facts.ids.ordinalOf(next)!, { begunBy, openAt });
  return hasEnded && leadsTo(fact, newer, holds);
}

function leadsTo(fact: string, newer: Newer, isWanted: (fact: string) => boolean): boolean {
  const reached = new Set([fact]);
  for (const each of reached)
    for (const next of newer.get(each) ?? []) {
      if (isWanted(next)) return true;
      reached.add(next);
    }
  return false;
}

function isBelieved(fact: string, { facts }: ScopeIndex): boolean {
  const ordinal = facts.ids.ordinalOf(fact);
  return ordinal !== undefined && facts.lexical.has(ordinal);
}

async function withStatements(
  { scope, store }: Memory,
  turns: readonly {
    readonly turn: EpisodeId;
    readonly outdated: readonly FactId[];
    readonly standing: readonly FactId[];
  }[],
): Promise<OutdatedTurns> {
  const ids = turns.flatMap(({ outdated, standing }) => [...outdated, ...standing]);
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', [...new Set(ids)]);
  const statements = new Map(rows.map(({ id, statement }) => [id, statement]));
  const statementsOf = (facts: readonly FactId[]) => facts.flatMap((id) => statements.get(id) ?? []);
  return new Map(
    turns.map(({ turn, outdated, standing }) => [
      turn,
      { outdated: statementsOf(outdated), standing: statementsOf(standing) },
    ]),
  );
}
