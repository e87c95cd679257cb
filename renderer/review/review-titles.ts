import type { ReviewEntity, ReviewItem } from '../../main/contract.ts';
import { reviewText } from '../strings/review-text.ts';
import { shortened } from '../strings/shortened.ts';

/** An item in one line. */
export function titleOfItem(item: ReviewItem): string {
  switch (item.kind) {
    case 'contradiction': {
      const [one, other] =
        item.reason === 'topics'
          ? item.topics.map(({ summary }) => summary)
          : item.facts.map(({ line }) => line.statement);
      return reviewText.versus(one ?? '', other ?? '');
    }
    case 'merge':
      return titleOfPair(item.entities);
    case 'unsure':
      return item.fact.line.statement;
    case 'injection':
    case 'set-aside':
    case 'dropped':
      return item.turn.text;
  }
}

/** Two of one name are told apart by what is known of each. */
function titleOfPair([one, other]: Extract<ReviewItem, { kind: 'merge' }>['entities']): string {
  const knownOf = ({ latest, said }: ReviewEntity) => latest[0]?.statement ?? said[0]?.text;
  const [first, second] = [knownOf(one), knownOf(other)];
  const isOneName = one.name.toLowerCase() === other.name.toLowerCase();
  return isOneName && first !== undefined && second !== undefined
    ? reviewText.sameName(one.name, shortened(first), shortened(second))
    : reviewText.and(one.name, other.name);
}
