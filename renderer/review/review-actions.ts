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
import { text } from '../strings/text.ts';

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

/** What can be decided about an item, the usual decision first. */
export function actionsFor(item: ReviewItem): readonly ReviewAction[] {
  const { actions: names, done } = text.review;
  switch (item.kind) {
    case 'contradiction': {
      const fine: ReviewAction = {
        ...{ key: 'a', label: names.bothTrue, icon: CheckCheck },
        does: { kind: 'dismiss', done: done.bothTrue },
      };
      if (item.reason === 'topics')
        return [{ ...fine, label: names.fine, does: { kind: 'dismiss', done: done.fine } }];
      const [first, second] = [item.facts[0].line.id, item.facts[1].line.id];
      const edit: ReviewAction = {
        ...{ key: 'e', label: names.edit, icon: Pencil },
        does: { kind: 'edit', fact: second },
      };
      if (item.reason === 'weak-end')
        return [
          { key: '1', label: names.holds, icon: Check, does: correct(done.keepFirst, reject(second)) },
          { key: '2', label: names.ended, icon: Check, does: correct(done.accept, pin(second)) },
          edit,
        ];
      return [
        { key: '1', label: names.keepFirst, icon: Check, does: correct(done.keepFirst, reject(second)) },
        { key: '2', label: names.keepSecond, icon: Check, does: correct(done.keepSecond, reject(first)) },
        {
          ...{ key: '3', label: names.replaced, icon: Check },
          does: correct(done.replaced, {
            kind: 'edit-fact',
            fact: first,
            patch: { invalidAt: item.facts[1].line.validAt },
          }),
        },
        fine,
        edit,
      ];
    }
    case 'merge': {
      const [one, other] = byKnown(item.entities);
      return [
        {
          ...{ key: 'm', label: names.merge, icon: Combine, look: 'primary' },
          does: correct(done.merge, { kind: 'merge-entities', keep: one.id, merged: other.id }),
        },
        {
          ...{ key: 's', label: names.apart, icon: Split },
          does: correct(done.apart, { kind: 'keep-apart', entities: [one.id, other.id] }),
        },
      ];
    }
    case 'injection':
      return [
        {
          key: 'f',
          label: names.forget,
          icon: Trash2,
          look: 'danger',
          does: { kind: 'forget', episode: item.turn.id },
        },
        ...(item.facts.length === 0
          ? []
          : [
              {
                ...{ key: 'r', label: names.rejectFacts(item.facts.length), icon: Ban },
                does: correct(done.rejectFacts(item.facts.length), ...item.facts.map(({ id }) => reject(id))),
              },
            ]),
        { key: 'a', label: names.fine, icon: CheckCheck, does: { kind: 'dismiss', done: done.fine } },
      ];
    case 'unsure': {
      const { id } = item.fact.line;
      const [said] = item.fact.said;
      return [
        { key: 'a', label: names.accept, icon: Check, look: 'primary', does: correct(done.accept, pin(id)) },
        { key: 'e', label: names.edit, icon: Pencil, does: { kind: 'edit', fact: id } },
        { key: 'r', label: names.reject, icon: Ban, does: correct(done.reject, reject(id)) },
        ...(said === undefined
          ? []
          : [
              {
                ...{ key: 'f', label: names.forget, icon: Trash2, look: 'danger' as const },
                does: { kind: 'forget' as const, episode: said.id as string },
              },
            ]),
      ];
    }
    case 'set-aside':
      return [
        { key: 'a', label: names.retry, icon: RotateCcw, look: 'primary', does: { kind: 'retry' } },
        {
          key: 'f',
          label: names.forget,
          icon: Trash2,
          look: 'danger',
          does: { kind: 'forget', episode: item.turn.id },
        },
      ];
    case 'dropped':
      return [
        {
          key: 'f',
          label: names.forget,
          icon: Trash2,
          look: 'danger',
          does: { kind: 'forget', episode: item.turn.id },
        },
      ];
  }
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
