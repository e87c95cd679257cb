import type {
  ForgetEvent,
  ForgetOptions,
  ForgetPreview,
  ForgetPreviewOptions,
  ForgetReport,
} from '../../edit/forget/forget-event.ts';
import { previewForgetting } from '../../edit/forget/preview.ts';
import {
  foundTarget,
  readAuthor,
  readTarget,
  resolveTarget,
  withQuotations,
} from '../../edit/forget/target.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { ForgetTarget } from '../../model/forget-target.ts';
import { analyze } from '../../search/analyzer.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { follow } from '../../util/follow.ts';
import { Run } from '../run.ts';
import type { ScopeSession } from '../scope-session.ts';
import { executeForgetting } from './execute.ts';

/** What `forget` would remove. */
export async function previewForget(
  session: ScopeSession,
  target: ForgetTarget,
  { quotations, memory }: ForgetPreviewOptions & { readonly memory: SearchedTurns },
): Promise<ForgetPreview> {
  const { target: found, kind } = await findTarget(target, memory);
  return session.look(async (context) => {
    const target = await resolveTarget(context, found);
    const resolved = { ...target, kind, turns: inOrderOf(found, target.turns) };
    return previewForgetting(context, await withQuotations(context, resolved, quotations));
  });
}

/** Finds the turns of a target that is a query. */
interface Finding {
  readonly memory: SearchedTurns;
}

/** Forgets a target, in steps of one transaction each. */
export function forget(
  session: ScopeSession,
  target: Exclude<ForgetTarget, { query: string }>,
  options: ForgetOptions,
): Run<ForgetEvent, ForgetReport>;
export function forget(
  session: ScopeSession,
  target: ForgetTarget,
  options: ForgetOptions & Finding,
): Run<ForgetEvent, ForgetReport>;
export function forget(
  session: ScopeSession,
  target: ForgetTarget,
  options: ForgetOptions & Partial<Finding>,
): Run<ForgetEvent, ForgetReport> {
  return new Run((signal) => forgetInSteps(session, target, { ...options, signal }), options.signal);
}

async function* forgetInSteps(
  session: ScopeSession,
  target: ForgetTarget,
  { memory, ...options }: ForgetOptions & Partial<Finding>,
): AsyncGenerator<ForgetEvent> {
  const { forgettings } = session;
  const author = readAuthor(options.author);
  const started = performance.now();
  const { target: found, kind } = await findTarget(target, memory);
  yield* follow<ForgetEvent>(async (emit, signal) => {
    const job = async (context: IngestContext) => {
      const named = { ...(await resolveTarget(context, found)), kind };
      const { target: resolved, alsoSaid } = await withQuotations(context, named, options.quotations);
      forgettings.noteBegin();
      // Forgetting everything includes hidden rows.
      const isOverWhole = kind === 'all' && session.isHiding;
      const wanted = { target: resolved, author, signal, report: emit, isOverWhole, cause: options.cause };
      const done = await executeForgetting(
        session,
        isOverWhole ? await session.fresh({ isWhole: true }) : context,
        wanted,
      ).catch((error: unknown) => {
        forgettings.noteFailure();
        throw error;
      });
      await forgettings.noteEnd();
      forgettings.report(done.fallbacks);
      return { ...done, alsoSaid: alsoSaid.length };
    };
    const report = await session.ingestion.forgetting(() =>
      session.write(job, { alone: true, waits: false }),
    );
    const onDisk = whereWordsStay(session.store);
    emit({ type: 'done', ...report, onDisk, seconds: (performance.now() - started) / 1000 });
  }, options.signal);
}

function findTarget(target: ForgetTarget, memory: SearchedTurns | undefined) {
  return foundTarget(readTarget(target), (query, limit) => turnsSaying(query, limit, memory!));
}

/** The turns in the order in which the target lists them; their older versions follow. */
function inOrderOf(target: ForgetTarget, turns: readonly string[]): readonly string[] {
  if (!('episodes' in target) || !Array.isArray(target.episodes)) return turns;
  return [...new Set([...target.episodes, ...turns])];
}

/** Where the words of removed rows can stay. */
function whereWordsStay(store: GraphStore): ForgetReport['onDisk'] {
  if (store.files() !== null) return 'needs compact';
  return store.describe().path === ':memory:' ? 'nothing on disk' : 'needs vacuum';
}

/** Found turns are compared with at least so many others, so that the best of them is among a few. */
const LEAST = 10;

interface FoundTurn {
  readonly id: string;
  readonly content: string;
}

/** A memory whose turns can be searched, as `MemoryScope.search` does. */
export interface SearchedTurns {
  search(
    query: string,
    options: { readonly k: number },
  ): Promise<{ readonly episodes: readonly FoundTurn[] }>;
}

/**
 * The turns to forget for some words, the best first: those that say most of the words themselves, in the order of the
 * search. A search also finds neighbours and turns of a similar meaning; they are taken only if no turn says any of the
 * words.
 */
export async function turnsSaying(
  query: string,
  limit: number,
  memory: SearchedTurns,
): Promise<readonly string[]> {
  const words = new Set(analyze(query));
  const { episodes } = await memory.search(query, { k: Math.max(limit, LEAST) });
  const found = episodes.map(({ id, content }) => {
    const said = new Set(analyze(content));
    return { id, words: [...words].filter((word) => said.has(word)).length };
  });
  const saying = found.filter((turn) => turn.words > 0);
  return (saying.length > 0 ? saying : found)
    .toSorted((a, b) => b.words - a.words)
    .slice(0, limit)
    .map(({ id }) => id);
}
