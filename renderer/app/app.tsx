import { LockKeyhole } from 'lucide-react';
import {
  type ComponentType,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { Toaster, toast } from 'sonner';
import { Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import type { OutputOf, Preferences } from '../../main/contract.ts';
import { ChatScreen } from '../chat/chat-screen.tsx';
import type { Connection as Opened } from '../client/open-client.ts';
import { SideBar } from '../conversations/side-bar.tsx';
import { ErrorBoundary } from '../kit/error-boundary.tsx';
import { Empty, Failed, Notice } from '../kit/feedback.tsx';
import { TooltipProvider } from '../kit/tooltip.tsx';
import { useShortcuts } from '../parts/place/shortcuts.ts';
import { useDefaultScope } from '../parts/place/use-places.ts';
import {
  type Connection,
  ConnectionProvider,
  useAppEvents,
  useConnection,
  useReply,
} from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './app.module.css';
import { Inspector } from './inspector.tsx';
import { lazily } from './lazily.ts';

// Screens beside the chat are loaded when they are opened.
const ImportScreen = lazily(() => import('../imports/import-screen.tsx'), 'ImportScreen');
const SettingsScreen = lazily(() => import('../settings/settings-screen.tsx'), 'SettingsScreen');
const PortraitScreen = lazily(() => import('../memory/portrait-screen.tsx'), 'PortraitScreen');
const BrowseScreen = lazily(() => import('../browse/browse-screen.tsx'), 'BrowseScreen');
const loadEntityScreen = () => import('../browse/entity-screen.tsx');
const EntityScreen = lazily(loadEntityScreen, 'EntityScreen');
const CategoryScreen = lazily(() => import('../browse/category-screen.tsx'), 'CategoryScreen');
const TimelineScreen = lazily(() => import('../timeline/timeline-screen.tsx'), 'TimelineScreen');
const CompareScreen = lazily(() => import('../compare/compare-screen.tsx'), 'CompareScreen');
const ReviewScreen = lazily(() => import('../review/review-screen.tsx'), 'ReviewScreen');
const ForgetScreen = lazily(() => import('../forget/forget-screen.tsx'), 'ForgetScreen');
const WelcomeScreen = lazily(() => import('../welcome/welcome-screen.tsx'), 'WelcomeScreen');
const Palette = lazily(() => import('./palette.tsx'), 'Palette');

const SCREENS_IN_SCOPE = [
  ['browse', BrowseScreen],
  ['timeline', TimelineScreen],
  ['compare', CompareScreen],
  ['review', ReviewScreen],
  ['forget', ForgetScreen],
] as const;

/** The whole app: the connection to the engine, then the window. */
export function App({ opened }: { readonly opened: Opened }) {
  const status = useSyncExternalStore(opened.status.subscribe, opened.status.get);
  const connection = useMemo((): Connection => ({ ...opened, status }), [opened, status]);
  if (status === 'signed-out') return <Locked />;
  return (
    <ConnectionProvider connection={connection}>
      <TooltipProvider delayDuration={350}>
        <Router hook={useHashLocation}>
          <Window />
        </Router>
      </TooltipProvider>
    </ConnectionProvider>
  );
}

function Locked() {
  return (
    <main className={styles.alone}>
      <Empty icon={LockKeyhole} title={text.app.locked.title}>
        <p>{text.app.locked.text}</p>
      </Empty>
    </main>
  );
}

function Window() {
  const { status } = useConnection();
  const { isSideOpen, isPaletteOpen, set } = useUi();
  const [place] = useLocation();
  const settings = useReply('settings', {});
  useTheme(settings.data?.preferences.theme ?? 'system');
  useShortcuts(settings.data?.preferences.shortcuts ?? {});
  useAppEvents(useCallback(onRestart(), []));
  return (
    <div className={styles.window}>
      <button
        type="button"
        className={styles.skip}
        onClick={() => document.getElementById('content')?.focus()}
      >
        {text.app.skipToContent}
      </button>
      {isSideOpen && (
        <>
          <button
            type="button"
            className={styles.scrim}
            aria-label={text.side.close}
            onClick={() => set({ isSideOpen: false })}
          />
          <SideBar />
        </>
      )}
      <main id="content" className={styles.main} tabIndex={-1}>
        {status === 'reconnecting' && <EngineBanner />}
        {status === 'connected' && settings.error !== null && (
          <EngineProblemBanner problem={settings.error.message} onRetry={() => void settings.refetch()} />
        )}
        <ErrorBoundary resetKey={place}>
          <Suspense fallback={null}>
            <Switch>
              <Route path="/c/:id/:message?">
                {({ id, message }) => <ChatScreen key={id} conversation={id} message={message} />}
              </Route>
              <Route path="/memory/:scope?">
                {({ scope }) => <PortraitScreen scope={scope && decodeURIComponent(scope)} />}
              </Route>
              <Route path="/entity/:scope/:id">
                {({ scope, id }) => <EntityScreen key={id} scope={decoded(scope)} entity={decoded(id)} />}
              </Route>
              <Route path="/category/:scope/:id">
                {({ scope, id }) => <CategoryScreen key={id} scope={decoded(scope)} category={decoded(id)} />}
              </Route>
              {SCREENS_IN_SCOPE.map(([place, screen]) => (
                <Route key={place} path={`/${place}/:scope?`}>
                  {({ scope }) => <InScope scope={scope} screen={screen} />}
                </Route>
              ))}
              <Route path="/import">
                <ImportScreen />
              </Route>
              <Route path="/settings/:section?">
                {({ section }) => <SettingsScreen section={section} />}
              </Route>
              <Route path="/welcome">
                <WelcomeScreen />
              </Route>
              <Route>
                <ChatScreen key="new" conversation={null} />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <Inspector />
      <Suspense fallback={null}>{isPaletteOpen && <Palette />}</Suspense>
      <Toaster position="top-center" toastOptions={{ className: styles.toast! }} />
    </div>
  );
}

const decoded = (part: string | undefined): string => decodeURIComponent(part ?? '');

/** Screens of memory lead to pages of entities: their code is loaded before somebody asks for it. */
function preloadEntityScreen(): () => void {
  const timer = setTimeout(() => void loadEntityScreen().catch(() => undefined), 300);
  return () => clearTimeout(timer);
}

interface InScopeProps {
  /** As in the address; the usual one by default. */
  readonly scope: string | undefined;
  readonly screen: ComponentType<{ readonly scope: string }>;
}

/** A screen of one scope; a screen that shows another scope begins with an empty state. */
function InScope({ scope, screen: Screen }: InScopeProps) {
  const usual = useDefaultScope();
  const chosen = scope === undefined ? usual : decoded(scope);
  useEffect(preloadEntityScreen, []);
  return chosen === null ? null : <Screen key={chosen} scope={chosen} />;
}

/** Says that the engine was started again, once it runs. */
function onRestart() {
  let known: number | null = null;
  return (event: OutputOf<'appEvents'>) => {
    if (event.type !== 'engine') return;
    if (known !== null && known !== event.pid) toast(text.app.reconnected);
    known = event.pid;
  };
}

const DARK = '(prefers-color-scheme: dark)';

/** Sets the theme of the page, and follows the system where the user has chosen none. */
function useTheme(theme: Preferences['theme']): void {
  useEffect(() => {
    const system = window.matchMedia(DARK);
    const apply = () => {
      const isDark = theme === 'dark' || (theme === 'system' && system.matches);
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
}

/** A restart of the engine takes less, in milliseconds. */
const USUAL = 10_000;

/** Shown while the engine does not answer. */
function EngineBanner() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), USUAL);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" style={{ padding: 'var(--space-2) var(--space-4)' }}>
      <Notice kind="warning">
        {text.app.reconnecting}
        {isLate && ` ${text.app.reconnectingLate}`}
      </Notice>
    </div>
  );
}

/** Shown while the engine refuses even the first requests: what is wrong, and a way to try again. */
function EngineProblemBanner({
  problem,
  onRetry,
}: {
  readonly problem: string;
  readonly onRetry: () => void;
}) {
  return (
    <div style={{ padding: 'var(--space-2) var(--space-4)' }}>
      <Failed onRetry={onRetry}>{problem}</Failed>
    </div>
  );
}
