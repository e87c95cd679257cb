import { searchable } from '../../src/agent-memory/recall.ts';
import { CONTEXT_FORM } from '../../src/answer/memory-context.ts';
import type { PromptBlock } from '../../src/answer/prompt-block.ts';
import { portraitText } from '../../src/browse/portrait.ts';
import { roughTokens } from '../../src/inference/language-model/tokens/count-tokens.ts';
import { asLabel, clip, DATA, DATA_RULE, fence, numberedSources } from '../../src/prompts/as-data.ts';
import { digestOf } from '../../src/util/digest-of.ts';
import { isoDay } from '../../src/util/iso-day.ts';
import type { MemoryClient } from '../contract.ts';
import type { HookEvent } from './hook-event.ts';
import type { Repository } from './repository.ts';

export interface HookRun {
  readonly client: Pick<MemoryClient, 'add' | 'context' | 'portrait' | 'turns'>;
  readonly repository: Repository;
  /** The scope of the person, which is read in every repository. */
  readonly personal: string;
  /** The most tokens of memory that the agent gets. */
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/** Pasted logs and files are kept in part. */
const LONGEST_TURN = 20_000;
/** Turns below it have nothing to do with the prompt (docs/decisions/2026-11-29-relevance.md). A needless one costs little. */
const LEAST_RELEVANCE = 0.15;

/** Stores what was said, and returns what memory has for the agent; null for nothing. */
export async function runHook(event: HookEvent, run: HookRun): Promise<string | null> {
  if (event.kind === 'none') return null;
  if (event.kind === 'start') return toldAtStart(run);
  if (event.text.trim() === '') return null;
  await store(event, run);
  return event.kind === 'prompt' ? recalled(event, run) : null;
}

/** A hook that runs again stores nothing twice; of several outcomes of one prompt the last one counts. */
async function store(event: HookEvent, { client, repository, signal }: HookRun): Promise<void> {
  const { agent, session, turn, kind } = event;
  const content = clip(event.text, LONGEST_TURN);
  const role = kind === 'prompt' ? ('user' as const) : ('assistant' as const);
  const of = role === 'user' || turn === null ? [turn, content] : [turn];
  const sourceId = digestOf([session, role, ...of]);
  const said = { content, role, session: sessionOf(event), source: agent, sourceId };
  // What an agent writes may come from a page that it has read.
  const trust = role === 'assistant' ? { trust: 'low' as const } : {};
  await client.add({ scope: repository.scope, turns: [{ ...said, ...trust }] }, { signal });
}

function sessionOf({ agent, session }: HookEvent): string {
  return `${agent} ${session}`.trim().slice(0, 500);
}

const PERSONAL = 'What memory holds of the user on it:';

async function recalled(event: HookEvent, run: HookRun): Promise<string | null> {
  const { repository, personal, tokens } = run;
  const own = await contextOf(event, { ...run, scope: repository.scope, tokens });
  const left = tokens - (own?.tokens ?? 0);
  const others =
    personal === repository.scope ? null : await contextOf(event, { ...run, scope: personal, tokens: left });
  const texts = [
    ...fenced(`From earlier sessions in ${asLabel(repository.name, 200)}, on the message:`, own),
    ...fenced(PERSONAL, others),
  ];
  return texts.length === 0 ? null : [`${DATA_RULE} ${CONTEXT_FORM}`, ...texts].join('\n');
}

function fenced(title: string, block: PromptBlock | null): string[] {
  return block === null ? [] : [`${title}\n${fence(DATA, numberedSources(block.sources))}`];
}

/** What a scope holds on the prompt; null for nothing. */
async function contextOf(
  event: HookEvent,
  { client, scope, tokens, signal }: HookRun & { readonly scope: string },
): Promise<PromptBlock | null> {
  if (tokens < LEAST_TOKENS) return null;
  const question = searchable(event.text.trim());
  // The agent has the session before it.
  const filter = { session: { $ne: sessionOf(event) } };
  const asked = { scope, question, tokens, filter, minScore: LEAST_RELEVANCE };
  const block = await client.context(asked, { signal });
  return block.sources.length === 0 ? null : block;
}

/** Less than that holds no source beside the words around it. */
const LEAST_TOKENS = 200;
const [MOST_RECENT, LONGEST_RECENT] = [6, 300];
const MOST_FACTS = 4;

/** What is known of the project and of the person, in short. */
async function toldAtStart({
  client,
  repository,
  personal,
  tokens,
  signal,
}: HookRun): Promise<string | null> {
  const lastly = await client.turns({ scope: repository.scope, limit: MOST_RECENT }, { signal });
  const recent = lastly.items.map(
    ({ validAt, role, content }) => `${isoDay(validAt)} ${role}: ${asLabel(content, LONGEST_RECENT)}`,
  );
  const known = recent.length === 0 ? '' : await portraitIn(repository.scope);
  const person = personal === repository.scope ? '' : await portraitIn(personal);
  const parts = [
    { title: `Said last in sessions in ${asLabel(repository.name, 200)}, the newest first:`, lines: recent },
    { title: `Known from sessions in ${asLabel(repository.name, 200)}:`, lines: linesOf(known) },
    { title: 'Known of the user:', lines: linesOf(person) },
  ];
  const share = Math.floor(tokens / parts.length);
  const texts = parts.flatMap(({ title, lines }) => {
    const kept = within(lines, share);
    return kept.length === 0 ? [] : [`${title}\n${fence(DATA, kept.join('\n'))}`];
  });
  return texts.length === 0 ? null : [DATA_RULE, ...texts].join('\n');

  async function portraitIn(scope: string): Promise<string> {
    const portrait = await client.portrait({ scope }, { signal });
    return portrait.facts === 0 ? '' : portraitText(portrait, MOST_FACTS);
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => asLabel(line, LONGEST_RECENT))
    .filter((line) => line !== '');
}

/** The lines, up to a number of tokens: the last ones are left out. */
function within(lines: readonly string[], tokens: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += roughTokens(`${line}\n`);
    return used > tokens;
  });
  return end < 0 ? lines : lines.slice(0, end);
}
