import type { Correction, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { statementKey } from '../../search/fact-index.ts';
import type { IngestContext } from '../ingest-context.ts';
import { edgesOf } from './change-facts.ts';
import { type DetailOfKind, readDetail } from './correction-detail.ts';
import type { UndoDraft } from './undo-draft.ts';

interface Merge {
  readonly detail: DetailOfKind<'merge-entities'>;
  readonly undone: Correction;
}

/** What was moved goes back as far as it still stands; of what was read since, whatever names the merged entity. */
export async function undoMerge(context: IngestContext, draft: UndoDraft, merge: Merge): Promise<void> {
  const { keep, merged, journal } = merge.detail;
  for (const edge of journal.linked) draft.unlink(edge);
  const now = new Set<string>();
  for (const kind of ['MENTIONS', 'ABOUT', 'CATEGORIZES'] as const)
    for (const { from } of await edgesOf(context, kind, { to: [keep.id] })) now.add(`${kind} ${from}`);
  const moves = ({ kind, to }: Relationship) => kind !== 'POSSIBLY_SAME' && to === merged.id;
  const withdrawn = withdrawnDoubts(context);
  for (const edge of journal.unlinked) {
    if (edge.kind === 'POSSIBLY_SAME' && withdrawn.has(pairOf(edge))) continue;
    if (!moves(edge) || now.has(`${edge.kind} ${edge.from}`)) draft.link(edge);
  }
  await sortMentions(context, draft, merge);
  await sortFacts(context, draft, merge);
}

/** Doubts that only merges have brought which are undone by now: another merge may have moved them on since. */
function withdrawnDoubts({ index: { rulings } }: IngestContext): ReadonlySet<string> {
  const [withdrawn, inForce] = [new Set<string>(), new Set<string>()];
  for (const correction of rulings.corrections) {
    const detail = readDetail(correction);
    if (detail?.kind !== 'merge-entities') continue;
    const brought = correction.undoneAt === null ? inForce : withdrawn;
    for (const edge of detail.journal.linked) if (edge.kind === 'POSSIBLY_SAME') brought.add(pairOf(edge));
  }
  return new Set([...withdrawn].filter((pair) => !inForce.has(pair)));
}

function pairOf({ from, to }: Relationship): string {
  return `${from} ${to}`;
}

async function sortMentions(
  context: IngestContext,
  draft: UndoDraft,
  { detail, undone }: Merge,
): Promise<void> {
  const { store, scope, index } = context;
  const names = sayings(detail);
  const edges = await since(context, detail, 'MENTIONS');
  const segments = new Map(edges.map(({ from }) => [from, index.segmentOf(from)]));
  const ids = [...new Set([...segments.values()].flatMap((id) => id ?? []))];
  const read = await store.get(scope, 'segment', ids);
  const late = new Set<string>(read.filter((row) => isLater(row, undone)).map(({ id }) => id));
  const turns = edges.filter(({ from }) => late.has(segments.get(from) ?? ''));
  const rows = await store.get(
    scope,
    'episode',
    turns.map(({ from }) => from),
  );
  const texts = new Map<string, string>(
    rows.map(({ id, speaker, content }) => [id, `${speaker}: ${content}`]),
  );
  for (const edge of turns) sort(draft, edge, { detail, says: names(texts.get(edge.from) ?? '') });
}

async function sortFacts(context: IngestContext, draft: UndoDraft, { detail, undone }: Merge): Promise<void> {
  const names = sayings(detail);
  const edges = await since(context, detail, 'ABOUT');
  const rows = await context.store.get(context.scope, 'fact', [...new Set(edges.map(({ from }) => from))]);
  const late = new Map<string, Fact>(rows.filter((row) => isLater(row, undone)).map((row) => [row.id, row]));
  for (const edge of edges) {
    const fact = late.get(edge.from);
    if (fact !== undefined) sort(draft, edge, { detail, says: names(fact.statement) });
  }
}

function sort(
  draft: UndoDraft,
  edge: Relationship,
  { detail, says }: { detail: Merge['detail']; says: { merged: boolean; keep: boolean } },
): void {
  if (!says.merged) return;
  if (!says.keep) draft.unlink(edge);
  draft.link({ ...edge, to: detail.merged.id });
}

/** Edges of the kept entity that were not moved to it. */
async function since(
  context: IngestContext,
  { keep, journal }: Merge['detail'],
  kind: 'MENTIONS' | 'ABOUT',
): Promise<Relationship[]> {
  const moved = new Set(journal.unlinked.flatMap((edge) => (edge.kind === kind ? [edge.from] : [])));
  return (await edgesOf(context, kind, { to: [keep.id] })).filter(({ from }) => !moved.has(from));
}

function isLater(row: { readonly id: string; readonly createdAt: number }, undone: Correction): boolean {
  return row.createdAt > undone.createdAt || (row.createdAt === undone.createdAt && row.id > undone.id);
}

/** Which of the two a text names by what only one of them is called. */
function sayings({ keep, merged }: Merge['detail']): (text: string) => { merged: boolean; keep: boolean } {
  const keysOf = ({ names }: Merge['detail']['keep']) => new Set(names.map(statementKey));
  const [ofKeep, ofMerged] = [keysOf(keep), keysOf(merged)];
  const says = (text: string, keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...keys].some((key) => key !== '' && !others.has(key) && text.includes(` ${key} `));
  return (text) => {
    const words = ` ${statementKey(text)} `;
    return { merged: says(words, ofMerged, ofKeep), keep: says(words, ofKeep, ofMerged) };
  };
}
