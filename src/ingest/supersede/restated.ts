import type { EpisodeId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { FactWithCandidates, JudgedFact, Supersession } from './superseder.ts';
import type { BatchEdges, TurnOrder } from './view-facts.ts';

export interface RestatedInput {
  readonly given: { readonly facts: readonly Fact[]; readonly relationships: readonly Relationship[] };
  readonly settled: ReadonlyMap<FactId, Supersession>;
  readonly said: readonly Supersession[];
  readonly board: {
    readonly views: ReadonlyMap<string, JudgedFact>;
    readonly edges: BatchEdges;
    readonly turns: TurnOrder;
  };
}

export interface RestatedFacts {
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** The facts said again, beside those that ended them before. */
  readonly asked: readonly FactWithCandidates[];
}

interface Restated {
  readonly old: FactId;
  readonly turns: readonly EpisodeId[];
  readonly fact: Fact;
}

/**
 * "I love coffee", "I hate coffee now", "I love coffee": de-duplication has made one fact of the first and the last. Where
 * something between them ended it, what was said afterwards is a fact of its own.
 */
export async function splitRestated(context: IngestContext, input: RestatedInput): Promise<RestatedFacts> {
  const { given, said, board } = input;
  const restated = await findRestated(context, input);
  if (restated.length === 0) return { facts: [], relationships: given.relationships, asked: [] };
  const moved = new Map(
    restated.flatMap(({ old, turns, fact }) => turns.map((turn) => [`${old} ${turn}`, fact.id])),
  );
  const about = await aboutEdges(
    context,
    given.relationships,
    restated.map(({ old }) => old),
  );
  const relationships = given.relationships.map((edge) => {
    const to = edge.kind === 'EVIDENCED_BY' ? moved.get(`${edge.from} ${edge.to}`) : undefined;
    return to === undefined ? edge : { ...edge, from: to };
  });
  const copies = restated.flatMap(({ old, fact }) =>
    about.filter(({ from }) => from === old).map((edge) => ({ ...edge, from: fact.id })),
  );
  const asked = restated.map(({ old, turns, fact }) => ({
    fact: viewOf(fact, board.views.get(old)!, { turns: board.turns, cited: turns }),
    candidates: said.filter((each) => each.old === old).flatMap(({ by }) => board.views.get(by) ?? []),
  }));
  return { facts: restated.map(({ fact }) => fact), relationships: [...relationships, ...copies], asked };
}

/** A mention of the same dated event is none of the like. */
async function findRestated(
  context: IngestContext,
  { given, settled, board }: RestatedInput,
): Promise<Restated[]> {
  const fresh = new Map(given.facts.map((fact) => [fact.id as string, fact]));
  const found: Restated[] = [];
  for (const { old, by, kind, at } of settled.values()) {
    if (kind === 'corrects') continue;
    const cited = board.turns.sorted(board.edges.turnsOf(old));
    const again = (fresh.has(old) ? cited.slice(1) : cited).filter(
      (turn) => board.turns.validAt(turn) >= at && board.turns.placeOf(turn) > board.views.get(by)!.order,
    );
    if (again.length === 0) continue;
    const row = fresh.get(old) ?? (await context.store.get(context.scope, 'fact', [old]))[0];
    if (row === undefined || row.event !== null) continue;
    const validAt = board.turns.validAt(again[0]!);
    const id = context.newId() as FactId;
    found.push({
      old,
      turns: again,
      fact: { ...row, id, validAt, invalidAt: null, statedEnd: null, createdAt: context.clock() },
    });
  }
  return found;
}

async function aboutEdges(
  { store, scope }: IngestContext,
  relationships: readonly Relationship[],
  facts: readonly FactId[],
): Promise<readonly Relationship[]> {
  const fromBatch = relationships.filter(({ kind }) => kind === 'ABOUT');
  const known = new Set(fromBatch.map(({ from }) => from));
  const stored = facts.filter((id) => !known.has(id));
  const edges: Relationship[] = [...fromBatch];
  if (stored.length > 0)
    for await (const batch of store.relationships(scope, 'ABOUT', { from: stored })) edges.push(...batch);
  return edges;
}

function viewOf(
  { id, validAt }: Fact,
  old: JudgedFact,
  { turns, cited }: { turns: TurnOrder; cited: readonly EpisodeId[] },
): JudgedFact {
  const said = cited.map((turn) => turns.textOf(turn)).join('\n');
  return { ...old, id, validAt, invalidAt: null, order: turns.placeOf(cited[0]!), said };
}
