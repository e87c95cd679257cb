import type {
  BuiltReport,
  Outcomes,
  ReadingReport,
  ResolutionReport,
  Waiting,
} from '../../../graphs/ingestion/state.ts';
import type { AddResult } from '../../ingest/admit/plan-episodes.ts';
import type { BatchResolution } from '../../ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../ingest/write/build-batch.ts';
import type { BatchReading } from '../../ingest/write/read-batch.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { turnsIn } from './batch-units.ts';

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

export function reportReading({ read, failed }: BatchReading): ReadingReport {
  const judgements = read.flatMap(({ reading }) => reading.judgements);
  const dropped = judgements.filter((judgement) => judgement === 'dropped').length;
  return {
    kept: judgements.length - dropped,
    dropped,
    setAside: turnsIn(failed),
    keywords: examples(read.map(({ reading }) => reading.keywords.join(', '))),
  };
}

export function reportResolution({ entities }: BatchResolution): ResolutionReport {
  const created = entities.filter(({ isNew }) => isNew);
  const known = entities.filter(({ isNew }) => !isNew);
  return {
    created: created.length,
    known: known.length,
    createdNames: examples(created.map(({ name }) => name)),
    knownNames: examples(known.map(({ name }) => name)),
  };
}

export function reportBuilt({ changes, ...counts }: BuiltBatch): BuiltReport {
  const { segments, entities, facts, repeated, outdated } = counts;
  const statements = examples((changes.nodes?.fact ?? []).map(({ statement }) => statement));
  return { segments, entities, facts, repeated, outdated, statements };
}

/** Waiting turns of a scope, or of some of its sessions. */
export function reportWaiting(index: ScopeIndex, sessions: readonly string[] | null): Waiting {
  const { ids, timeline } = index.episodes;
  const only = sessions === null ? null : new Set(sessions);
  const found = new Set<string>();
  let turns = 0;
  for (const id of index.enrichment.pending) {
    const session = timeline.sessions[timeline.session.at(ids.ordinalOf(id)!)]!;
    if (only?.has(session) === false) continue;
    found.add(session);
    turns += 1;
  }
  return { turns, sessions: found.size, examples: examples(found) };
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
