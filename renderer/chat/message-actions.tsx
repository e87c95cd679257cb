import { Check, ChevronLeft, ChevronRight, Copy } from 'lucide-react';
import type { ComponentProps } from 'react';
import { IconButton } from '../kit/button.tsx';
import { useCopy } from '../parts/answer/copy-text.ts';
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
      <Action
        icon={ChevronLeft}
        className="small-icon"
        label={words.earlier}
        disabled={before === undefined}
        onClick={() => before !== undefined && show(before)}
      />
      <span>{words.branch(position, count)}</span>
      <Action
        icon={ChevronRight}
        className="small-icon"
        label={words.later}
        disabled={after === undefined}
        onClick={() => after !== undefined && show(after)}
      />
    </div>
  );
}

/** An action of a message. */
export const Action = (props: ComponentProps<typeof IconButton>) => <IconButton iconSize={15} {...props} />;

export function CopyAction({ children }: { readonly children: string }) {
  const [isCopied, copy] = useCopy();
  const label = isCopied ? words.copied : words.copy;
  return <Action icon={isCopied ? Check : Copy} label={label} onClick={() => copy(children)} />;
}
