import { X } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { IconButton } from '../kit/button.tsx';
import { ErrorBoundary } from '../kit/error-boundary.tsx';
import { lazily } from '../kit/lazily.ts';
import { isSameScreen } from '../parts/place/places.ts';
import { type Inspected, useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './inspector.module.css';

const WhyPanel = lazily(() => import('../parts/why/why-panel.tsx'), 'WhyPanel');
const SourcePanel = lazily(() => import('../parts/source/source-panel.tsx'), 'SourcePanel');
const LearnedPanel = lazily(() => import('../memory/learned-panel.tsx'), 'LearnedPanel');

const TITLES = { why: text.inspector.why, source: text.inspector.source, learned: text.inspector.learned };

/** The panel beside the conversation: why an answer says what it says, a source, what was remembered. */
export function Inspector() {
  const { inspected, set } = useUi();
  const panel = useRef<HTMLElement>(null);
  const kind = inspected?.kind;
  useEffect(() => {
    if (kind !== undefined) panel.current?.focus();
  }, [kind]);
  const [place] = useLocation();
  const openedAt = useRef(place);
  const isOfMessage = kind === 'why' || kind === 'learned';
  // Left alone, the panel would explain an answer beside a screen that does not show it.
  useEffect(() => {
    if (isOfMessage && !isSameScreen(openedAt.current, place)) set({ inspected: null });
    openedAt.current = place;
  }, [isOfMessage, place, set]);
  if (inspected === null) return null;
  const close = () => set({ inspected: null });
  return (
    <aside
      ref={panel}
      className={styles.panel}
      aria-label={TITLES[inspected.kind]}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      <header className={styles.head}>
        <h2 className="text-16">{TITLES[inspected.kind]}</h2>
        <IconButton icon={X} label={text.app.close} onClick={close} />
      </header>
      <div className={styles.body}>
        <ErrorBoundary resetKey={keyOf(inspected)}>
          <Suspense fallback={null}>
            {inspected.kind === 'why' && <WhyPanel key={inspected.message} message={inspected.message} />}
            {inspected.kind === 'source' && <SourcePanel key={inspected.episode} {...inspected} />}
            {inspected.kind === 'learned' && <LearnedPanel key={inspected.message} {...inspected} />}
          </Suspense>
        </ErrorBoundary>
      </div>
    </aside>
  );
}

function keyOf(inspected: NonNullable<Inspected>): string {
  return inspected.kind === 'source' ? inspected.episode : `${inspected.kind} ${inspected.message}`;
}
