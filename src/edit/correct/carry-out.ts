import { entityAnchor, factAnchor } from '../../ingest/corrections/anchors.ts';
import type { FactPatch, ProfilePatch } from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import { editProfile, keepApart, mergeEntities, splitEntity } from './change-entities.ts';
import { editFact, rejectFact } from './change-facts.ts';
import { CorrectionDraft, type CorrectionEvent } from './draft.ts';

/** A correction to carry out. Its rows exist, are live and belong to the scope. */
export type CorrectionRequest =
  | { readonly kind: 'edit-fact'; readonly fact: Fact; readonly patch: FactPatch }
  | { readonly kind: 'reject-fact'; readonly fact: Fact }
  | { readonly kind: 'pin-fact'; readonly fact: Fact }
  | { readonly kind: 'edit-profile'; readonly entity: EntityId; readonly patch: ProfilePatch }
  | { readonly kind: 'merge-entities'; readonly keep: EntityId; readonly merged: EntityId }
  | {
      readonly kind: 'split-entity';
      readonly entity: EntityId;
      readonly name: string;
      readonly episodes: readonly EpisodeId[];
      readonly facts: readonly Fact[];
    }
  | { readonly kind: 'keep-apart'; readonly entities: readonly [EntityId, EntityId] };

export interface CarriedOut {
  readonly changes: GraphChanges;
  /** Id of the fact or entity that the correction created; null if it created none. */
  readonly made: string | null;
}

/** Returns everything a correction writes, including its own row, as one transaction. @throws InvalidInputError */
export async function carryOut(
  given: IngestContext,
  request: CorrectionRequest,
  event: CorrectionEvent,
): Promise<CarriedOut> {
  const context = { ...given, clock: () => event.at };
  const draft = new CorrectionDraft(event);
  const finish = (detail: Parameters<CorrectionDraft['finish']>[1]) => draft.finish(context, detail);
  const { kind } = request;
  switch (kind) {
    case 'edit-fact': {
      const { fact, patch } = request;
      const made = context.newId() as FactId;
      await editFact(context, draft, { old: fact, patch, made });
      return { changes: await finish({ kind, fact: factAnchor(context, fact), patch, made }), made };
    }
    case 'reject-fact':
      await rejectFact(context, draft, request);
      return { changes: await finish({ kind, fact: factAnchor(context, request.fact) }), made: null };
    case 'pin-fact':
      return { changes: await finish({ kind, fact: factAnchor(context, request.fact) }), made: null };
    case 'edit-profile': {
      const { entity, patch } = request;
      await editProfile(context, draft, request);
      return { changes: await finish({ kind, entity: entityAnchor(context, entity), patch }), made: null };
    }
    case 'merge-entities': {
      await mergeEntities(context, draft, request);
      const [keep, merged] = [entityAnchor(context, request.keep), entityAnchor(context, request.merged)];
      return { changes: await finish({ kind, keep, merged }), made: null };
    }
    case 'split-entity': {
      const { name, episodes } = request;
      const made = context.newId() as EntityId;
      const ids = request.facts.map(({ id }) => id);
      await splitEntity(context, draft, { ...request, made, facts: ids });
      const facts = request.facts.map((fact) => factAnchor(context, fact));
      const detail = { kind, entity: entityAnchor(context, request.entity), name, made, episodes, facts };
      return { changes: await finish(detail), made };
    }
    case 'keep-apart': {
      await keepApart(context, draft, request);
      const [one, other] = request.entities;
      const entities: [ReturnType<typeof entityAnchor>, ReturnType<typeof entityAnchor>] = [
        entityAnchor(context, one),
        entityAnchor(context, other),
      ];
      return { changes: await finish({ kind, entities }), made: null };
    }
  }
}
