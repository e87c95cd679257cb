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
import { lazily } from '../kit/lazily.ts';
import { TooltipProvider } from '../kit/tooltip.tsx';
import { MemoryBar } from '../parts/place/memory-bar.tsx';
import { nameOfPart } from '../parts/place/place-part.ts';
import { memoryScreenAt } from '../parts/place/places.ts';
import { useShortcuts } from '../parts/place/shortcuts.ts';
import { useDefaultScope } from '../parts/place/use-places.ts';
import {
  type Connection,
  ConnectionProvider,
  useAppEvents,
  useConnection,
  useReply,
} from '../state/connection.tsx';
import { RESTARTING, useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './app.module.css';
import { Inspector } from './inspector.tsx';

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
const NoteScreen = lazily(() => import('../note/note-screen.tsx'), 'NoteScreen');
const ForgetScreen = lazily(() => import('../forget/forget-screen.tsx'), 'ForgetScreen');
const WelcomeScreen = lazily(() => import('../welcome/welcome-screen.tsx'), 'WelcomeScreen');
const SignInScreen = lazily(() => import('./sign-in-screen.tsx'), 'SignInScreen');
const DeviceScreen = lazily(() => import('./device-screen.tsx'), 'DeviceScreen');
const TakeBackDialog = lazily(() => import('../parts/forget/take-back-dialog.tsx'), 'TakeBackDialog');
const Palette = lazily(() => import('./palette.tsx'), 'Palette');

const SCREENS_IN_SCOPE = [
  ['browse', BrowseScreen],
  ['timeline', TimelineScreen],
  ['compare', CompareScreen],
  ['review', ReviewScreen],
  ['forget', ForgetScreen],
  ['note', NoteScreen],
] as const;

/** The whole app: the connection to the engine, then the window. */
export function App({ opened }: { readonly opened: Opened }) {
  const status = useSyncExternalStore(opened.status.subscribe, opened.status.get);
  const connection = useMemo((): Connection => ({ ...opened, status }), [opened, status]);
  if (status === 'signed-out') return <SignedOut {...opened} />;
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

function SignedOut({ remote }: Pick<Opened, 'remote'>) {
  useTheme('system');
  if (remote !== null)
    return (
      <Suspense fallback={null}>
        <SignInScreen remote={remote} />
      </Suspense>
    );
  return (
    <main className={styles.alone}>
      <Empty icon={LockKeyhole} title={text.app.locked.title}>
        <p>{text.app.locked.text}</p>
      </Empty>
    </main>
  );
}

function Window() {
  const { status, remote } = useConnection();
  const { isSideOpen, isPaletteOpen, takenBack, set } = useUi();
  const [place] = useLocation();
  const memory = memoryScreenAt(place);
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
        {memory !== null && <MemoryBar {...memory} />}
        <ErrorBoundary resetKey={place}>
          <Suspense fallback={null}>
            <Switch>
              <Route path="/c/:id/:message?">
                {({ id, message }) => (
                  <ChatScreen key={id} conversation={{ conversation: id }} message={message} />
                )}
              </Route>
              <Route path="/s/:scope/:session/:turn?">
                {({ scope, session, turn }) => (
                  <ChatScreen
                    key={session}
                    conversation={{ scope: decoded(scope), session: decoded(session) }}
                    message={turn && decoded(turn)}
                  />
                )}
              </Route>
              <Route path="/p/:folder">
                {({ folder }) => <ChatScreen key={folder} conversation={null} folder={folder} />}
              </Route>
              <Route path="/memory/:scope?/:person?">
                {({ scope, person }) => (
                  <PortraitScreen scope={scope && nameOfPart(scope)} entity={person && nameOfPart(person)} />
                )}
              </Route>
              <Route path="/entity/:scope/:id">
                {({ scope, id }) => <EntityScreen key={id} scope={decoded(scope)} entity={decoded(id)} />}
              </Route>
              <Route path="/category/:scope/:id">
                {({ scope, id }) => <CategoryScreen key={id} scope={decoded(scope)} category={decoded(id)} />}
              </Route>
              {SCREENS_IN_SCOPE.map(([place, screen]) => (
                <Route key={place} path={`/${place}/:scope?/:node?`}>
                  {(parts) => <InScope {...parts} screen={screen} />}
                </Route>
              ))}
              <Route path="/import/:opened?">{({ opened }) => <ImportScreen opened={opened} />}</Route>
              <Route path="/settings/:section?">
                {({ section }) =>
                  remote === null ? <SettingsScreen section={section} /> : <DeviceScreen remote={remote} />
                }
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
      <Suspense fallback={null}>
        {isPaletteOpen && <Palette />}
        {takenBack !== null && <TakeBackDialog />}
      </Suspense>
      <Toaster position="top-center" toastOptions={{ className: styles.toast! }} />
    </div>
  );
}

const decoded = (part: string | undefined): string => nameOfPart(part ?? '');

/** Screens of memory lead to pages of entities: their code is loaded before somebody asks for it. */
function preloadEntityScreen(): () => void {
  const timer = setTimeout(() => void loadEntityScreen().catch(() => undefined), 300);
  return () => clearTimeout(timer);
}

interface InScopeProps {
  /** As in the address; the usual one by default. */
  readonly scope?: string | undefined;
  readonly node?: string | undefined;
  readonly screen: ComponentType<{ readonly scope: string; readonly node: string | null }>;
}

/** A screen of one scope; a screen that shows another scope or node begins with an empty state. */
function InScope({ scope, node, screen: Screen }: InScopeProps) {
  const usual = useDefaultScope();
  const chosen = scope === undefined ? usual : decoded(scope);
  useEffect(preloadEntityScreen, []);
  return chosen === null ? null : (
    <Screen key={`${chosen} ${node}`} scope={chosen} node={node === undefined ? null : decoded(node)} />
  );
}

/** Says that the engine was started again, once it runs, unless new settings asked for it. */
function onRestart() {
  let known: number | null = null;
  return (event: OutputOf<'appEvents'>) => {
    if (event.type !== 'engine') return;
    const isAgain = known !== null && known !== event.pid;
    const isAsked = toast.getToasts().some(({ id }) => id === RESTARTING);
    if (isAgain && isAsked) toast.dismiss(RESTARTING);
    else if (isAgain) toast(text.app.reconnected);
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
