import { CorrectionBook } from '../correct/correction-book.ts';
import { readDetail, withoutSummary } from '../correct/correction-detail.ts';
import type { IngestContext } from '../ingest-context.ts';
import { textsIn } from './quotations.ts';
import { SaidAgain } from './said-again.ts';

/** Summaries that somebody wrote by hand and that say again what turns that go say. */
export interface SummariesByHand {
  /** Of corrections their details without such a summary. */
  readonly details: ReadonlyMap<string, string>;
  /** Whose summaries they are: every version of their profiles may hold one. */
  readonly owners: ReadonlySet<string>;
}

/** Undone corrections keep their words, too, and so are looked at like the others. */
export async function summariesByHand(
  { store, scope, index: { rulings } }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  turns: ReadonlySet<string>,
): Promise<SummariesByHand> {
  const [details, owners] = [new Map<string, string>(), new Set<string>()];
  const edits = rulings.corrections.filter(({ kind }) => kind === 'edit-profile');
  if (edits.length === 0 || turns.size === 0) return { details, owners };
  const said = new SaidAgain();
  for (const row of await store.get(scope, 'episode', [...turns]))
    for (const text of textsIn(row)) said.add(text);
  const book = CorrectionBook.of(rulings);
  for (const edit of edits) {
    const detail = readDetail(edit);
    if (detail?.kind !== 'edit-profile' || said.foundIn(detail.patch.summary ?? '') === null) continue;
    details.set(edit.id, withoutSummary(edit));
    for (const id of [detail.entity.id, book.canonical(detail.entity.id)]) owners.add(id);
  }
  return { details, owners };
}
