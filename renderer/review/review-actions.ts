import {
  Ban,
  Check,
  CheckCheck,
  Combine,
  type LucideIcon,
  Pencil,
  RotateCcw,
  Split,
  Trash2,
} from 'lucide-react';
import type { InputOf, ReviewItem } from '../../main/contract.ts';
import { reviewText } from '../strings/review-text.ts';

type Correction = InputOf<'correct'>['correction'];

/** What a decision does. */
export type Decision =
  | { readonly kind: 'correct'; readonly corrections: readonly Correction[]; readonly done: string }
  | { readonly kind: 'dismiss'; readonly done: string }
  | { readonly kind: 'retry' }
  | { readonly kind: 'save'; readonly fact: string; readonly statement: string };

/** What a key and its button do to an item. */
export interface ReviewAction {
  readonly key: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly look?: 'primary' | 'danger';
  /** Offered where the evidence is shown, beside the usual ones. */
  readonly isRare?: boolean;
  readonly does:
    | Decision
    | { readonly kind: 'edit'; readonly fact: string }
    | { readonly kind: 'forget'; readonly episode: string };
}

const reject = (fact: string): Correction => ({ kind: 'reject-fact', fact });
const pin = (fact: string): Correction => ({ kind: 'pin-fact', fact });
const correct = (done: string, ...corrections: readonly Correction[]): Decision => ({
  kind: 'correct',
  corrections,
  done,
});

const accept = (fact: string): ReviewAction['does'] => correct(reviewText.done.accept, pin(fact));

function forget(episode: string): ReviewAction {
  const does = { kind: 'forget', episode } as const;
  return { key: 'f', label: reviewText.actions.forget, icon: Trash2, look: 'danger', does };
}

function edit(fact: string): ReviewAction {
  return {
    key: 'e',
    label: reviewText.actions.edit,
    icon: Pencil,
    isRare: true,
    does: { kind: 'edit', fact },
  };
}

/** Nothing is wrong with the item. */
function dismiss(how: 'bothTrue' | 'fine'): ReviewAction {
  const { actions: names, done } = reviewText;
  return { key: 'a', label: names[how], icon: CheckCheck, does: { kind: 'dismiss', done: done[how] } };
}

/** What can be decided about an item, the usual decision first. */
export function actionsFor(item: ReviewItem): readonly ReviewAction[] {
  const { actions: names, done } = reviewText;
  switch (item.kind) {
    case 'contradiction':
      return item.reason === 'topics' ? [dismiss('fine')] : actionsForPair(item);
    case 'merge': {
      const [one, other] = byKnown(item.entities);
      const merged = correct(done.merge, { kind: 'merge-entities', keep: one.id, merged: other.id });
      const apart = correct(done.apart, { kind: 'keep-apart', entities: [one.id, other.id] });
      return [
        { key: 'm', label: names.merge, icon: Combine, look: 'primary', does: merged },
        { key: 's', label: names.apart, icon: Split, does: apart },
      ];
    }
    case 'injection': {
      const count = item.facts.length;
      const does = correct(done.rejectFacts(count), ...item.facts.map(({ id }) => reject(id)));
      const rejection: ReviewAction = { key: 'r', label: names.rejectFacts(count), icon: Ban, does };
      return [forget(item.turn.id), ...(count === 0 ? [] : [rejection]), dismiss('fine')];
    }
    case 'unsure': {
      const { id } = item.fact.line;
      return [
        { key: 'a', label: names.accept, icon: Check, look: 'primary', does: accept(id) },
        edit(id),
        { key: 'r', label: names.reject, icon: Ban, does: correct(done.reject, reject(id)) },
        ...item.fact.said.slice(0, 1).map((said) => forget(said.id)),
      ];
    }
    case 'set-aside': {
      const does = { kind: 'retry' } as const;
      const retry: ReviewAction = { key: 'a', label: names.retry, icon: RotateCcw, look: 'primary', does };
      return [retry, forget(item.turn.id)];
    }
    case 'dropped':
      return [forget(item.turn.id)];
  }
}

type Contradiction = Extract<ReviewItem, { readonly kind: 'contradiction' }>;

function actionsForPair({
  reason,
  facts: [{ line: first }, { line: second }],
}: Exclude<Contradiction, { readonly reason: 'topics' }>): readonly ReviewAction[] {
  const { actions: names, done } = reviewText;
  const keepFirst = correct(done.keepFirst, reject(second.id));
  if (reason === 'weak-end')
    return [
      { key: '1', label: names.holds, icon: Check, does: keepFirst },
      { key: '2', label: names.ended, icon: Check, does: accept(second.id) },
      edit(second.id),
    ];
  const keepSecond = correct(done.keepSecond, reject(first.id));
  const patch = { invalidAt: second.validAt };
  const replaced = correct(done.replaced, { kind: 'edit-fact', fact: first.id, patch });
  return [
    { key: '1', label: names.keepFirst, icon: Check, does: keepFirst },
    { key: '2', label: names.keepSecond, icon: Check, does: keepSecond },
    { key: '3', label: names.replaced, icon: Check, isRare: true, does: replaced },
    dismiss('bothTrue'),
    edit(second.id),
  ];
}

type Pair = Extract<ReviewItem, { readonly kind: 'merge' }>['entities'];

/** The one that more is known of is kept; of equals, the one with the longer name. */
function byKnown([one, other]: Pair): Pair {
  const isSecondBetter =
    other.facts + other.turns - (one.facts + one.turns) || other.name.length - one.name.length;
  return isSecondBetter > 0 ? [other, one] : [one, other];
}

/** Where keys belong to what has the focus. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable=true], [role=menu], [role=dialog], [role=listbox], [role=tooltip], aside';

/** The key of a decision; null while text is written, a menu or a dialog is open, or with a modifier. */
export function keyTyped(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return null;
  if (event.target instanceof Element && event.target.closest(OWN_KEYS) !== null) return null;
  if (document.querySelector('[role=dialog], [role=menu]') !== null) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
