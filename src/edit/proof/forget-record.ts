import type { NodeKind } from '../../model/nodes.ts';

/**
 * Whether a row is the record of a forgetting: fixed words, ids, and an author that its caller named to be kept. A text
 * that stands only there is no remnant.
 */
export function isForgetRecord(kind: NodeKind, row: unknown): boolean {
  return (
    kind === 'correction' && typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'forget'
  );
}
