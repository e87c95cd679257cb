import type { DescriptionId } from '../../model/ids.ts';
import type { IngestContext } from '../ingest-context.ts';
import { edgesOf } from './change-facts.ts';
import type { DetailOfKind } from './correction-detail.ts';
import type { UndoDraft } from './undo-draft.ts';

/** All that the new entity has come to, before and since, is the old one's again. */
export async function undoSplit(
  context: IngestContext,
  draft: UndoDraft,
  { entity: { id: entity }, made, journal }: DetailOfKind<'split-entity'>,
): Promise<void> {
  const known = new Set(journal.linked.map(({ kind, from }) => `${kind} ${from}`));
  const now = new Set<string>();
  for (const kind of ['MENTIONS', 'ABOUT', 'CATEGORIZES'] as const)
    for (const edge of await edgesOf(context, kind, { to: [made] })) {
      now.add(`${kind} ${edge.from}`);
      if (!known.has(`${kind} ${edge.from}`)) draft.link({ ...edge, to: entity });
    }
  for (const edge of journal.unlinked) if (now.has(`${edge.kind} ${edge.from}`)) draft.link(edge);
  await giveBackDescriptions(context, draft, { entity, made });
  await removeProfiles(context, draft, made);
}

async function giveBackDescriptions(
  context: IngestContext,
  draft: UndoDraft,
  {
    entity,
    made,
  }: Pick<DetailOfKind<'split-entity'>, 'made'> & { entity: DetailOfKind<'split-entity'>['made'] },
): Promise<void> {
  const { store, scope, newId } = context;
  for await (const rows of store.scan(scope, 'description'))
    for (const row of rows) {
      if (row.entity !== made || draft.isRemoved(row.id)) continue;
      const id = newId() as DescriptionId;
      draft.remove('description', row.id);
      draft.descriptions.push({ ...row, id, entity });
      for (const edge of await edgesOf(context, 'EVIDENCED_BY', { from: [row.id] }))
        draft.link({ ...edge, from: id });
    }
}

async function removeProfiles(
  { store, scope }: IngestContext,
  draft: UndoDraft,
  owner: string,
): Promise<void> {
  for await (const rows of store.scan(scope, 'profile', ['id', 'owner']))
    for (const row of rows) if (row.owner === owner) draft.remove('profile', row.id);
}
