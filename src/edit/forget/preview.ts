import type { IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { RowRemoval } from '../../model/graph-changes.ts';
import type { Fact, Profile } from '../../model/nodes.ts';
import type { Deletion, RemovedCounts } from './deletion.ts';
import type { ForgetExample, ForgetPreview, ForgetQuotation } from './forget-event.ts';
import { planDeletion, planEntityDeletion } from './plan-deletion.ts';
import type { Quoting } from './quotations.ts';
import type { TargetWithQuotations } from './target.ts';

const MOST_EXAMPLES = 5;
const MOST_QUOTATIONS = 20;
/** Facts, and names of entities. */
const MOST_NAMED = 20;
const LONGEST_EXAMPLE = 120;

/** What forgetting a target would remove. Writes nothing. */
export async function previewForgetting(
  context: IngestContext,
  { target, alsoSaid }: TargetWithQuotations,
): Promise<ForgetPreview> {
  const { kind, turns, entities } = target;
  const quoting = { total: alsoSaid.length, turns: alsoSaid.slice(0, MOST_QUOTATIONS).map(quotation) };
  const examples = await examplesOf(context, turns);
  const preview = { target: kind, episodes: turns, examples, alsoSaid: quoting };
  if (kind === 'all') return { ...preview, ...(await everything(context)) };
  const removals: Deletion[] = [];
  if (turns.length > 0) removals.push(await planDeletion(context, turns));
  const seen = new Set(removals.flatMap(({ changes }) => (changes.removals ?? []).map(({ id }) => id)));
  for (const entity of entities)
    if (!seen.has(entity)) removals.push(await planEntityDeletion(context, entity));
  const vanishing = new Map(
    removals.flatMap((each) => each.vanishing).map((profile) => [profile.owner, profile]),
  );
  return {
    ...preview,
    counts: countsOf(removals),
    ...(await namedIn(context, removals)),
    vanishing: [...vanishing.values()].map(named),
    reread: removals.reduce((sum, { reread }) => sum + reread.length, 0),
  };
}

/** Counts a row once, even if several deletions remove it. */
function countsOf(removals: readonly Deletion[]): RemovedCounts {
  const counts: Record<string, number> = {};
  const rows = removals.flatMap(({ changes }) => changes.removals ?? []);
  for (const key of new Set(rows.map(({ kind, id }) => `${kind} ${id}`))) {
    const kind = key.slice(0, key.indexOf(' '));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

async function everything({ store, scope, index }: IngestContext) {
  const { tombstone: _, ...rows } = await store.count(scope);
  const counts = Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0));
  const vanishing = index.entities.current().map(named);
  const entities = vanishing.slice(0, MOST_NAMED).map(({ name }) => name);
  return { counts, facts: await firstFacts({ store, scope }), entities, vanishing, reread: 0 };
}

async function firstFacts({ store, scope }: StoredScope): Promise<string[]> {
  for await (const rows of store.scan(scope, 'fact', ['id', 'statement']))
    if (rows.length > 0) return statementsOf(rows.slice(0, MOST_NAMED));
  return [];
}

async function namedIn({ store, scope, index }: IngestContext, removals: readonly Deletion[]) {
  const rows = removals.flatMap(({ changes }) => changes.removals ?? []);
  const idsOf = (kind: RowRemoval['kind']) => [
    ...new Set(rows.filter((row) => row.kind === kind).map(({ id }) => id)),
  ];
  const removed = new Set(idsOf('entity'));
  const names = index.entities.current().flatMap(({ owner, name }) => (removed.has(owner) ? [name] : []));
  const facts = await store.get(scope, 'fact', idsOf('fact').slice(0, MOST_NAMED));
  return { facts: statementsOf(facts), entities: names.slice(0, MOST_NAMED) };
}

function statementsOf(facts: readonly Pick<Fact, 'statement'>[]): string[] {
  return facts.map(({ statement }) => shortened(statement));
}

function named({ owner, name }: Pick<Profile, 'owner' | 'name'>) {
  return { id: owner as string, name };
}

async function examplesOf(
  { store, scope }: IngestContext,
  turns: readonly string[],
): Promise<ForgetExample[]> {
  const rows = await store.get(scope, 'episode', turns.slice(0, MOST_EXAMPLES));
  return rows.map(({ id, session, validAt, content }) => ({
    id,
    session,
    at: new Date(validAt).toISOString(),
    text: shortened(content),
  }));
}

function quotation({ id, session, speaker, validAt, text }: Quoting): ForgetQuotation {
  return { id, session, speaker, at: new Date(validAt).toISOString(), text: shortened(text) };
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_EXAMPLE ? line : `${line.slice(0, LONGEST_EXAMPLE - 1).toWellFormed()}…`;
}
