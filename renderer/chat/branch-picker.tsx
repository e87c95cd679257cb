import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../kit/button.tsx';
import { text } from '../strings/text.ts';
import { useThread } from './thread-context.ts';

const words = text.chat.message;

export interface Siblings {
  /** From 1. */
  readonly position: number;
  readonly count: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Steps through the versions of a message: ‹ 2 / 3 ›. */
export function BranchPicker({ position, count, before, after }: Siblings) {
  const { show } = useThread();
  if (count < 2) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form
    <div
      className="line faint text-12 figures one-line"
      role="group"
      aria-label={words.version(position, count)}
    >
      <IconButton
        icon={ChevronLeft}
        iconSize={15}
        className="small-icon"
        label={words.earlier}
        disabled={before === undefined}
        onClick={() => before !== undefined && show(before)}
      />
      <span>{words.branch(position, count)}</span>
      <IconButton
        icon={ChevronRight}
        iconSize={15}
        className="small-icon"
        label={words.later}
        disabled={after === undefined}
        onClick={() => after !== undefined && show(after)}
      />
    </div>
  );
}
