import type { FactId, Milliseconds, Scope } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import type { GraphStore } from '../store/graph-store.ts';

/** What was read from a turn, as far as it matters to whether its words still answer. */
export interface OutdatedTurn {
  /** Statements in whose place a newer one holds. */
  readonly outdated: readonly string[];
  readonly standing: readonly string[];
}
/** By episode id; turns with nothing outdated are not in it. */
export type OutdatedTurns = ReadonlyMap<string, OutdatedTurn>;

export interface AnswerTime {
  readonly now: Milliseconds;
  /** The time that is asked about; null for the present. */
  readonly asOf: Milliseconds | null;
}

interface Rows {
  readonly scope: Scope;
  /** Gives facts that have expired as well. */
  readonly store: Pick<GraphStore, 'get' | 'relationships'>;
}

/** Nobody follows a chain of newer facts further than this: beyond it a turn counts as not outdated. */
const LONGEST_CHAIN = 50;

/**
 * The turns of a search that must not be quoted as they are: a statement that rests on one of them (EVIDENCED_BY) has
 * ended or was corrected, and the facts that superseded it (SUPERSEDES, step by step) lead to one that holds. A
 * statement that has ended without a newer one leaves its turn alone: no other words tell of it. Questions about the
 * past are no exception: there the ended facts themselves may be quoted, with the days on which they held.
 */
export async function outdatedTurns(
  rows: Rows,
  { episodes }: Pick<SearchResult, 'episodes'>,
  time: AnswerTime,
): Promise<OutdatedTurns> {
  const readFrom = await factsByTurn(
    rows,
    episodes.map(({ id }) => id),
  );
  const facts = await factsOf(rows, [...readFrom.values()].flat());
  const idsOf = (isMeant: (fact: Fact) => boolean) => [...facts.values()].filter(isMeant).map(({ id }) => id);
  const ended = idsOf((fact) => isBelieved(fact) && hasEnded(fact, time));
  const corrected = idsOf((fact) => !isBelieved(fact));
  const outdated = new Set([
    ...(await supersededBy(rows, ended, (fact) => holds(fact, time))),
    // What was never true is so at no time, whenever the truth was told.
    ...(await supersededBy(rows, corrected, isBelieved)),
  ]);
  const turns = new Map<string, OutdatedTurn>();
  for (const [turn, ids] of readFrom) {
    // What expired without a newer fact was read again, or went with a corrected turn: it is no statement any more.
    const said = ids
      .flatMap((id) => facts.get(id) ?? [])
      .filter(({ id, expiredAt }) => expiredAt === null || outdated.has(id));
    const gone = said.filter(({ id }) => outdated.has(id));
    const standing = said.filter(({ id }) => !outdated.has(id));
    if (gone.length > 0)
      turns.set(turn, { outdated: gone.map(statementOf), standing: standing.map(statementOf) });
  }
  return turns;
}

/**
 * Whether a sentence of a turn says what is outdated: all of them when nothing else was read from the turn, else those
 * that share more words with an outdated statement than with any that stands.
 */
export function saysOutdated(sentence: string, turn: OutdatedTurn | undefined): boolean {
  if (turn === undefined) return false;
  if (turn.standing.length === 0) return true;
  const words = new Set(analyze(sentence));
  const shared = (statements: readonly string[]) =>
    Math.max(
      ...statements.map(
        (statement) => [...new Set(analyze(statement))].filter((word) => words.has(word)).length,
      ),
    );
  return shared(turn.outdated) > shared(turn.standing);
}

async function factsByTurn(
  { scope, store }: Rows,
  turns: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const facts = new Map<string, string[]>();
  if (turns.length === 0) return facts;
  for await (const batch of store.relationships(scope, 'EVIDENCED_BY', { to: turns }))
    for (const { fromKind, from, to } of batch)
      if (fromKind === 'fact') facts.set(to, [...(facts.get(to) ?? []), from]);
  return facts;
}

async function factsOf({ scope, store }: Rows, ids: readonly string[]): Promise<ReadonlyMap<string, Fact>> {
  const rows = await store.get(scope, 'fact', [...new Set(ids)]);
  return new Map(rows.map((fact) => [fact.id, fact]));
}

/** Which of the facts were superseded, at once or step by step, by one that holds. */
async function supersededBy(
  rows: Rows,
  facts: readonly FactId[],
  isHolding: (fact: Fact) => boolean,
): Promise<ReadonlySet<string>> {
  const newer = new Map<string, Set<string>>();
  const known = new Set<string>(facts);
  const holding = new Set<string>();
  let last: readonly string[] = facts;
  for (let step = 0; last.length > 0 && step < LONGEST_CHAIN; step++) {
    const next = new Set<string>();
    for await (const batch of rows.store.relationships(rows.scope, 'SUPERSEDES', { to: last }))
      for (const { from, to } of batch) {
        newer.set(to, (newer.get(to) ?? new Set()).add(from));
        if (!known.has(from)) next.add(from);
      }
    for (const fact of (await factsOf(rows, [...next])).values()) {
      known.add(fact.id);
      if (isHolding(fact)) holding.add(fact.id);
    }
    last = [...next].filter((id) => known.has(id) && !holding.has(id));
  }
  return new Set(facts.filter((fact) => leadsTo(fact, newer, holding)));
}

function leadsTo(
  fact: string,
  newer: ReadonlyMap<string, ReadonlySet<string>>,
  holding: ReadonlySet<string>,
): boolean {
  const reached = new Set([fact]);
  for (const each of reached)
    for (const next of newer.get(each) ?? []) {
      if (holding.has(next)) return true;
      reached.add(next);
    }
  return false;
}

function holds(fact: Fact, time: AnswerTime): boolean {
  const hasBegun = time.asOf === null || fact.validAt <= time.asOf;
  return isBelieved(fact) && hasBegun && !hasEnded(fact, time);
}

function isBelieved({ expiredAt }: Fact): boolean {
  return expiredAt === null;
}

function hasEnded({ invalidAt }: Fact, { asOf, now }: AnswerTime): boolean {
  return invalidAt !== null && invalidAt <= (asOf ?? now);
}

function statementOf({ statement }: Fact): string {
  return statement;
}
