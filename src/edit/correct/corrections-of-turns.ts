import { turnsOf } from '../../ingest/corrections/anchors.ts';
import {
  type EntityAnchor,
  type FactAnchor,
  readDetail,
} from '../../ingest/corrections/correction-detail.ts';
import type { Correction } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';

/**
 * Corrections in force that would lose their meaning with some turns: of facts that one of the turns supports, of
 * entities that nothing else mentions, and splits that name one of the turns.
 */
export function correctionsOf(index: ScopeIndex, turns: ReadonlySet<string>): readonly Correction[] {
  const isAmong = (id: string) => turns.has(id);
  const restsOnThem = ({ id, evidence }: Pick<FactAnchor, 'id' | 'evidence'>) =>
    [...evidence, ...index.evidenceOf(id)].some(isAmong);
  const goesWithThem = ({ id, episodes }: EntityAnchor) => {
    const left = turnsOf(index, id);
    const mentions = left.length > 0 ? left : episodes;
    return mentions.length > 0 && mentions.every(isAmong);
  };
  return index.corrections.all.filter((correction) => {
    const detail = correction.undoneAt === null ? readDetail(correction) : null;
    switch (detail?.kind) {
      case 'edit-fact':
        return restsOnThem(detail.fact) || restsOnThem({ id: detail.made, evidence: [] });
      case 'reject-fact':
      case 'pin-fact':
        return restsOnThem(detail.fact);
      case 'edit-profile':
        return goesWithThem(detail.entity);
      case 'merge-entities':
        return goesWithThem(detail.keep) || goesWithThem(detail.merged);
      case 'split-entity':
        return detail.episodes.some(isAmong) || detail.facts.some(restsOnThem);
      case 'keep-apart':
        return detail.entities.some(goesWithThem);
      default:
        return false;
    }
  });
}
