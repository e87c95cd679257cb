import type { ScopeRows } from '../../../src/edit/rederive/scope-rows.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { EntityId, FactId } from '../../../src/model/ids.ts';
import type { Step } from './histories.ts';

/** Facts and entities in words that hold in any memory of the same turns. */
interface FactName {
  readonly statement: string;
  readonly turns: readonly string[];
}
interface EntityName {
  readonly name: string;
  readonly turns: readonly string[];
}

/** What was done by hand, to be done again in another memory. */
export type Deed =
  | { readonly do: 'edit fact'; readonly fact: FactName; readonly to: string }
  | { readonly do: 'reject fact' | 'pin fact'; readonly fact: FactName }
  | { readonly do: 'merge' | 'keep apart'; readonly one: EntityName; readonly other: EntityName }
  | { readonly do: 'edit profile'; readonly one: EntityName; readonly name: string }
  | { readonly do: 'split'; readonly one: EntityName; readonly name: string; readonly turn: string }
  | {
      readonly do: 'give';
      readonly statement: string;
      readonly subject: string;
      readonly turns: readonly string[];
    }
  | { readonly do: 'undo'; readonly deed: number };

/** Where a turn stands, which is the same in every memory. */
export function placeOf({
  session,
  index,
}: {
  readonly session?: string | undefined;
  readonly index?: number | undefined;
}): string {
  return `${session}/${index}`;
}

export function pickOf<T>(all: readonly T[], pick: number): T | undefined {
  return all[pick % Math.max(1, all.length)];
}

/** What a step comes to in a memory; null where there is nothing to do it to. */
export function deedOf(step: Step, rows: ScopeRows, earlier: readonly number[]): Deed | null {
  switch (step.do) {
    case 'undo': {
      const deed = pickOf(earlier, step.pick);
      return deed === undefined ? null : { do: 'undo', deed };
    }
    case 'edit fact':
    case 'reject fact':
    case 'pin fact': {
      const fact = pickOf(factNames(rows), step.pick);
      if (fact === undefined) return null;
      return step.do === 'edit fact' ? { do: step.do, fact, to: step.to } : { do: step.do, fact };
    }
    case 'merge':
    case 'keep apart': {
      const [one, other] = [pickOf(entityNames(rows), step.pick), pickOf(entityNames(rows), step.other)];
      return one === undefined || other === undefined || one === other ? null : { do: step.do, one, other };
    }
    case 'edit profile': {
      const one = pickOf(entityNames(rows), step.pick);
      return one === undefined ? null : { do: step.do, one, name: step.name };
    }
    case 'split': {
      const one = pickOf(entityNames(rows), step.pick);
      const turn = pickOf(one?.turns ?? [], step.other);
      return one === undefined || turn === undefined ? null : { do: step.do, one, name: step.name, turn };
    }
    case 'give': {
      const places = currentTurns(rows).map(placeOf).sort();
      const turns = [...new Set(step.picks.flatMap((pick) => pickOf(places, pick) ?? []))];
      const { statement, subject } = step;
      // Given twice, the second time is known and not kept: it cannot come back when the first is forgotten.
      const isGiven = [...rows.nodes.fact.values()].some((fact) => fact.statement === statement);
      return turns.length === 0 || isGiven ? null : { do: step.do, statement, subject, turns };
    }
    default:
      return null;
  }
}

/** The correction that it made, if it made one; null where there is nothing to do it to. */
export async function carryOut(
  { corrections, ...memory }: Pick<MemoryScope, 'corrections'> & { readonly give: MemoryScope['addFacts'] },
  deed: Exclude<Deed, { do: 'undo' }>,
  rows: ScopeRows,
): Promise<{ readonly correction: string | undefined } | null> {
  switch (deed.do) {
    case 'give': {
      const evidence = currentTurns(rows).filter((turn) => deed.turns.includes(placeOf(turn)));
      if (evidence.length === 0) return null;
      const { statement, subject } = deed;
      const given = { statement, subject, validAt: GIVEN_AT, evidence: evidence.map(({ id }) => ({ id })) };
      await memory.give([given]);
      return { correction: undefined };
    }
    case 'edit fact':
    case 'reject fact':
    case 'pin fact': {
      const fact = findFact(deed.fact, rows);
      if (fact === undefined) return null;
      if (deed.do === 'edit fact') return corrections.editFact(fact, { statement: deed.to });
      return deed.do === 'pin fact' ? corrections.pinFact(fact) : corrections.rejectFact(fact);
    }
    default: {
      const one = findEntity(deed.one, rows);
      if (one === undefined) return null;
      if (deed.do === 'edit profile') return corrections.editProfile(one, { name: deed.name });
      if (deed.do === 'split') {
        const mentions = new Set(rows.edges.MENTIONS.flatMap(({ from, to }) => (to === one ? [from] : [])));
        const turns = [...rows.nodes.episode.values()].filter((turn) => placeOf(turn) === deed.turn);
        const episodes = turns.flatMap(({ id }) => (mentions.has(id) ? [id] : []));
        return episodes.length === 0 ? null : corrections.splitEntity(one, { name: deed.name, episodes });
      }
      const other = findEntity(deed.other, rows);
      if (other === undefined || other === one) return null;
      return deed.do === 'merge' ? corrections.mergeEntities(one, other) : corrections.keepApart(one, other);
    }
  }
}

const GIVEN_AT = 1_700_000_012_345;

function currentTurns({ nodes }: ScopeRows) {
  return [...nodes.episode.values()].filter(({ expiredAt }) => expiredAt === null);
}

/** In an order that does not hang on ids. */
function factNames({ nodes, edges }: ScopeRows): FactName[] {
  const facts = [...nodes.fact.values()].filter(({ expiredAt }) => expiredAt === null);
  return sorted(
    facts.map(({ id, statement }) => ({
      statement,
      turns: placesOf(
        nodes,
        edges.EVIDENCED_BY.flatMap(({ from, to }) => (from === id ? [to] : [])),
      ),
    })),
  );
}

function entityNames({ nodes, edges }: ScopeRows): EntityName[] {
  const profiles = [...nodes.profile.values()].filter(({ expiredAt }) => expiredAt === null);
  return sorted(
    profiles.map(({ owner, name }) => ({
      name,
      turns: placesOf(
        nodes,
        edges.MENTIONS.flatMap(({ from, to }) => (to === owner ? [from] : [])),
      ),
    })),
  );
}

function findFact({ statement, turns }: FactName, { nodes, edges }: ScopeRows): FactId | undefined {
  const ids = idsAt(nodes, turns);
  const same = [...nodes.fact.values()].filter(
    (fact) => fact.expiredAt === null && fact.statement === statement,
  );
  return same.find(({ id }) => edges.EVIDENCED_BY.some(({ from, to }) => from === id && ids.has(to)))?.id;
}

function findEntity({ name, turns }: EntityName, { nodes, edges }: ScopeRows): EntityId | undefined {
  const ids = idsAt(nodes, turns);
  const bearers = [...nodes.profile.values()].filter((each) => each.expiredAt === null && each.name === name);
  const found = bearers.find(({ owner }) =>
    edges.MENTIONS.some(({ from, to }) => to === owner && ids.has(from)),
  );
  return found?.owner as EntityId | undefined;
}

function placesOf(nodes: ScopeRows['nodes'], ids: readonly string[]): string[] {
  return ids.flatMap((id) => (nodes.episode.has(id) ? [placeOf(nodes.episode.get(id)!)] : [])).sort();
}

function idsAt(nodes: ScopeRows['nodes'], places: readonly string[]): ReadonlySet<string> {
  return new Set(
    [...nodes.episode.values()].flatMap((turn) => (places.includes(placeOf(turn)) ? [turn.id] : [])),
  );
}

function sorted<T>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
