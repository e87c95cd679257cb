import type { ReviewItem } from '../../main/contract.ts';
import { text } from '../strings/text.ts';

/** An item in one line. */
export function titleOfItem(item: ReviewItem): string {
  switch (item.kind) {
    case 'contradiction': {
      const [one, other] =
        item.reason === 'topics'
          ? item.topics.map(({ summary }) => summary)
          : item.facts.map(({ line }) => line.statement);
      return text.review.versus(one ?? '', other ?? '');
    }
    case 'merge':
      return text.review.and(item.entities[0].name, item.entities[1].name);
    case 'unsure':
      return item.fact.line.statement;
    case 'injection':
    case 'set-aside':
    case 'dropped':
      return item.turn.text;
  }
}
