import { type CorrectionDetail, readDetail } from '../../ingest/corrections/correction-detail.ts';
import type { CorrectionId, Milliseconds } from '../../model/ids.ts';
import type { Correction, CorrectionKind } from '../../model/nodes.ts';
import { subjectsOf } from './dependent-corrections.ts';

/** A correction for display to a user. */
export interface CorrectionRecord {
  readonly id: CorrectionId;
  readonly kind: CorrectionKind;
  readonly author: string;
  readonly createdAt: Milliseconds;
  readonly undoneAt: Milliseconds | null;
  /** Ids of the facts or entities that the correction is about; for an undo, those of the undone correction. */
  readonly about: readonly string[];
  /** Id of the fact that an edit wrote or of the entity that a split created; null for other kinds. */
  readonly made: string | null;
  /** Of an undo: the correction that it undid. */
  readonly undid: CorrectionId | null;
  /** What was done, in one sentence. */
  readonly description: string;
}

/** @param others Looks up the correction that an undo undid. */
export function describeCorrection(
  correction: Correction,
  others: (id: string) => Correction | undefined,
): CorrectionRecord {
  const { id, kind, author, createdAt, undoneAt } = correction;
  const detail = readDetail(correction);
  const undone = detail?.kind === 'undo' ? others(detail.correction) : undefined;
  const subject = undone === undefined ? detail : readDetail(undone);
  return {
    id,
    kind,
    author,
    createdAt,
    undoneAt,
    about: subject === null ? [] : subjectsOf(subject),
    made: detail !== null && 'made' in detail ? detail.made : null,
    undid: detail?.kind === 'undo' ? detail.correction : null,
    description: detail === null ? (OTHERS[kind] ?? kind) : sentence(detail, subject),
  };
}

const OTHERS: Partial<Record<CorrectionKind, string>> = {
  forget: 'Forgot something',
  retain: 'Applied the retention rules',
};

function sentence(detail: CorrectionDetail, undone: CorrectionDetail | null): string {
  switch (detail.kind) {
    case 'edit-fact':
      return `Edited ${quoted(detail.fact.statement)}: ${changes(detail.patch)}`;
    case 'reject-fact':
      return `Rejected ${quoted(detail.fact.statement)}`;
    case 'pin-fact':
      return `Pinned ${quoted(detail.fact.statement)}`;
    case 'edit-profile':
      return `Edited ${quoted(nameIn(detail.entity))}: ${changes(detail.patch)}`;
    case 'merge-entities':
      return `Merged ${quoted(nameIn(detail.merged))} into ${quoted(nameIn(detail.keep))}`;
    case 'split-entity':
      return `Split ${quoted(detail.name)} off ${quoted(nameIn(detail.entity))}`;
    case 'keep-apart':
      return `Kept ${detail.entities.map((each) => quoted(nameIn(each))).join(' and ')} apart`;
    case 'undo':
      return undone === null || undone.kind === 'undo'
        ? 'Undid a correction'
        : `Undid: ${sentence(undone, null)}`;
  }
}

function changes(patch: object): string {
  return Object.entries(patch)
    .flatMap(([field, value]) => (value === undefined ? [] : [`${field} ${asText(field, value)}`]))
    .join(', ');
}

function asText(field: string, value: unknown): string {
  if (value === null) return 'none';
  if (field.endsWith('At') && typeof value === 'number') return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map((each) => quoted(String(each))).join(', ') || 'none';
  return typeof value === 'string' ? quoted(value) : String(value);
}

function nameIn({ names, id }: { readonly names: readonly string[]; readonly id: string }): string {
  return names[0] ?? id;
}

function quoted(text: string): string {
  return `“${text}”`;
}
