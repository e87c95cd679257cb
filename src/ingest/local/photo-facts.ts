import { type ExtractedFact, MAX_STATEMENT_LENGTH } from '../extractor.ts';
import type { ReadTurn } from './read-unit.ts';

/** What the sender says a picture shows. */
export function photoFacts({ turn, speaker, at }: ReadTurn): ExtractedFact[] {
  return turn.attachments.flatMap(({ kind, description }) => {
    const shown = description.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
    if (shown === '') return [];
    const what = /^(?:image|photo|picture|pic)\b/i.test(kind)
      ? 'a photo'
      : `an attachment (${kind.slice(0, 40)})`;
    const statement = `${speaker} shared ${what}: ${shown}`
      .slice(0, MAX_STATEMENT_LENGTH)
      .replace(/\p{Cs}/gu, '');
    const rest = {
      subject: null,
      relation: '',
      object: null,
      validAt: turn.validAt,
      event: null,
      confidence: 0.9,
    };
    return [{ kind: 'proposition' as const, statement, participants: [speaker], turns: [at], ...rest }];
  });
}
