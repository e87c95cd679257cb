import { describe, expect, it } from 'vitest';
import type { EvaluationCase } from '../../eval/datasets/dataset.ts';
import { paraphrasesReader, TALK_KINDS } from '../../eval/datasets/paraphrases/paraphrases.ts';
import { analyze } from '../../src/search/analyzer.ts';

const { cases, rejected } = await paraphrasesReader.readBundled();
const ofKind = (kind: string) => cases.filter(({ questions }) => questions[0]?.category === kind);

/** Index terms of a question without the names of speakers. */
function termsOf(question: string, { turns }: EvaluationCase): Set<string> {
  const names = new Set(turns.flatMap(({ speaker = '' }) => analyze(speaker)));
  return new Set(analyze(question).filter((term) => !names.has(term)));
}

const sharesTerms = (terms: ReadonlySet<string>, text: string) =>
  analyze(text).some((term) => terms.has(term));

describe('the data set of questions in other words', () => {
  it.each(TALK_KINDS)('%s: 20 questions among at least 100 turns, and no flaw', (kind) => {
    const questions = ofKind(kind).flatMap((each) => each.questions);
    expect(questions.map(({ category }) => category)).toEqual(Array(20).fill(kind));
    expect(ofKind(kind).flatMap(({ turns }) => turns).length).toBeGreaterThanOrEqual(100);
    for (const { evidenceTurns } of questions) expect([1, 2]).toContain(evidenceTurns.length);
    expect(rejected).toEqual([]);
  });

  it('shares no term between a question and its evidence', () => {
    for (const each of cases)
      for (const { text, evidenceTurns } of each.questions)
        for (const { sourceId, content } of each.turns)
          if (evidenceTurns.includes(sourceId!))
            expect([text, content, sharesTerms(termsOf(text, each), content)]).toEqual([
              text,
              content,
              false,
            ]);
  });

  it('shares terms between a question and other turns, so that words alone mislead', () => {
    for (const each of cases)
      for (const { text } of each.questions) {
        const terms = termsOf(text, each);
        const others = each.turns.filter(({ content }) => sharesTerms(terms, content));
        expect([text, others.length > 0]).toEqual([text, true]);
      }
  });

  it('gives a person who asks an assistant its role, and notes and documents no speaker', () => {
    const turnsOf = (kind: string) => ofKind(kind).flatMap(({ turns }) => turns);
    expect(new Set(turnsOf('assistant').map(({ role }) => role))).toEqual(new Set(['user', 'assistant']));
    for (const kind of ['notes', 'document'])
      expect(new Set(turnsOf(kind).map(({ speaker }) => speaker))).toEqual(new Set([undefined]));
    expect(turnsOf('document')[0]?.source).toBe('markdown');
  });
});
