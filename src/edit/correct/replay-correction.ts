import { InvalidInputError } from '../../errors/index.ts';
import { findEntity, findFact } from '../../ingest/corrections/anchors.ts';
import {
  type CorrectionDetail,
  type FactAnchor,
  readDetail,
} from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Correction } from '../../model/nodes.ts';
import { type CorrectionRequest, carryOut } from './carry-out.ts';
import type { CorrectionEvent } from './draft.ts';
import { undoCorrection } from './undo.ts';

/**
 * Carries out a correction again in another graph of the same turns, with the same id, author and time. Episode ids are
 * the same in both graphs; ids of facts and entities differ. Replay corrections in the order in which they were made,
 * including undone ones and their undoing, each after the turns that were read before it. After an undo, rebuild the
 * index of that graph.
 *
 * @returns Null when the rows of the correction do not exist there, or when it cannot be replayed ("forget", "retain").
 */
export async function replayCorrection(
  context: IngestContext,
  correction: Correction,
): Promise<GraphChanges | null> {
  const detail = readDetail(correction);
  if (detail === null) return null;
  const event = { id: correction.id, author: correction.author, at: correction.createdAt };
  try {
    if (detail.kind === 'undo') return await replayUndo(context, detail.correction, event);
    const request = await requestOf(context, detail);
    return request === null ? null : (await carryOut(context, request, event)).changes;
  } catch (error) {
    if (InvalidInputError.isInstance(error)) return null;
    throw error;
  }
}

async function replayUndo(
  given: IngestContext,
  id: string,
  event: CorrectionEvent,
): Promise<GraphChanges | null> {
  const undone = given.index.corrections.correction(id);
  if (undone === undefined || undone.undoneAt !== null) return null;
  return undoCorrection({ ...given, clock: () => event.at }, undone, event);
}

async function requestOf(
  context: IngestContext,
  detail: Exclude<CorrectionDetail, { kind: 'undo' }>,
): Promise<CorrectionRequest | null> {
  const { kind } = detail;
  switch (kind) {
    case 'edit-fact':
    case 'reject-fact':
    case 'pin-fact': {
      const fact = await factRow(context, detail.fact);
      if (fact === null) return null;
      return kind === 'edit-fact' ? { kind, fact, patch: detail.patch } : { kind, fact };
    }
    case 'edit-profile': {
      const entity = findEntity(context, detail.entity);
      return entity === null ? null : { kind, entity, patch: detail.patch };
    }
    case 'merge-entities': {
      const [keep, merged] = [findEntity(context, detail.keep), findEntity(context, detail.merged)];
      return keep === null || merged === null || keep === merged ? null : { kind, keep, merged };
    }
    case 'split-entity': {
      const entity = findEntity(context, detail.entity);
      if (entity === null) return null;
      const found = await Promise.all(detail.facts.map((fact) => factRow(context, fact)));
      const about = new Set<string>(context.index.factsAbout(entity));
      const facts = found.filter((fact) => fact !== null).filter(({ id }) => about.has(id));
      const mentioned = new Set(context.index.mentionsOf(entity));
      const episodes = detail.episodes.filter((turn) => mentioned.has(turn));
      if (facts.length + episodes.length === 0) return null;
      return { kind, entity, name: detail.name, episodes, facts };
    }
    case 'keep-apart': {
      const [one, other] = detail.entities.map((each) => findEntity(context, each));
      return one && other && one !== other ? { kind, entities: [one, other] } : null;
    }
  }
}

async function factRow(context: IngestContext, anchor: FactAnchor) {
  const id = await findFact(context, anchor);
  const [row] = id === null ? [] : await context.store.get(context.scope, 'fact', [id]);
  return row ?? null;
}
