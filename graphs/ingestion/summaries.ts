import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';
import { turnsIn } from '../../src/ingest/write/plan-batch.ts';
import type { BatchReading } from '../../src/ingest/write/read-batch.ts';
import type { BuiltReport, Outcomes, ReadingReport, ResolutionReport, Waiting } from './state.ts';

/** What a person sees of a step: counts, and a few short examples of texts. */
const MOST_EXAMPLES = 3;
const LONGEST_EXAMPLE = 60;
const MOST_REASONS = 5;
const LONGEST_REASON = 200;

export function reportOutcomes({ outcomes, added, known, superseding, rejected }: AddResult): Outcomes {
  const reasons: Outcomes['reasons'] = [];
  for (const [turn, outcome] of outcomes.entries()) {
    if (reasons.length >= MOST_REASONS) break;
    if (outcome.status === 'rejected') reasons.push({ turn, reason: cut(outcome.reason, LONGEST_REASON) });
  }
  return { added, known, superseding, rejected, reasons };
}

export function reportReading({ read, failed }: Pick<BatchReading, 'read' | 'failed'>): ReadingReport {
  const judgements = read.flatMap(({ reading }) => reading.judgements);
  const dropped = judgements.filter((judgement) => judgement === 'dropped').length;
  return {
    kept: judgements.length - dropped,
    dropped,
    setAside: turnsIn(failed),
    keywords: examples(read.map(({ reading }) => reading.keywords.join(', '))),
  };
}

export function reportResolution({ entities }: Pick<BatchResolution, 'entities'>): ResolutionReport {
  const created = entities.filter(({ isNew }) => isNew);
  const known = entities.filter(({ isNew }) => !isNew);
  return {
    created: created.length,
    known: known.length,
    createdNames: examples(created.map(({ name }) => name)),
    knownNames: examples(known.map(({ name }) => name)),
  };
}

export function reportBuilt(built: BuiltBatch): BuiltReport {
  const { changes, segments, entities, facts, repeated, outdated } = built;
  const statements = examples((changes.nodes?.fact ?? []).map(({ statement }) => statement));
  return { segments, entities, facts, repeated, outdated, statements };
}

export function reportWaiting(sessions: ReadonlyMap<string, { readonly turns: number }>): Waiting {
  const turns = [...sessions.values()].reduce((sum, session) => sum + session.turns, 0);
  return { turns, sessions: sessions.size, examples: examples(sessions.keys()) };
}

function examples(texts: Iterable<string>): string[] {
  const shown: string[] = [];
  for (const text of texts) {
    if (shown.length >= MOST_EXAMPLES) break;
    shown.push(cut(text, LONGEST_EXAMPLE));
  }
  return shown;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
