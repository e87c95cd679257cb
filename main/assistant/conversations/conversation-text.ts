import { APP_SOURCE } from '../../../src/browse/session-list.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { InputOf, OutputOf } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import type { StoredMessage } from '../store/message-table.ts';

type Context = Pick<AppContext, 'engine' | 'store'>;
type Said = {
  readonly speaker: string;
  readonly role: string;
  readonly at: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** Of tools, before the text of an answer. */
  readonly calls?: readonly SaidCall[];
};

/** What a tool was asked and gave back: data of another program, for nobody to follow. */
type SaidCall = Pick<ToolCall, 'server' | 'tool' | 'state' | 'arguments' | 'result'> & {
  readonly isTrusted: false;
};

const PER_PAGE = 400;
/** Under which name an answer of the app is written. */
const ANSWER = 'Mnemis';

/**
 * One conversation as a document, in pieces: what was said elsewhere, then the branch that is shown. Forgotten messages
 * are left out.
 */
export async function* conversationText(
  context: Context,
  { conversation: id, format }: InputOf<'exportConversation'>,
): AsyncGenerator<OutputOf<'exportConversation'>, void> {
  const { scope, session, title, leaf } = context.store.conversations.get(id);
  const begin = { markdown: `# ${title}\n`, json: `{"title":${JSON.stringify(title)},"messages":[` }[format];
  let messages = 0;
  yield { type: 'text', text: begin };
  for await (const said of saidIn(context, { scope, session, leaf })) {
    const text =
      format === 'json' ? `${messages === 0 ? '' : ','}\n${JSON.stringify(said)}` : markdownOf(said);
    messages++;
    yield { type: 'text', text };
  }
  if (format === 'json') yield { type: 'text', text: '\n]}\n' };
  yield { type: 'done', messages };
}

interface Wanted {
  readonly scope: string;
  readonly session: string | null;
  readonly leaf: string | null;
}

async function* saidIn({ engine, store }: Context, { scope, session, leaf }: Wanted): AsyncGenerator<Said> {
  const { knowledge } = engine.scope(scope);
  for (let from = 0; session !== null; from += PER_PAGE) {
    const page = await knowledge.session({ session, from, after: PER_PAGE - 1, without: APP_SOURCE });
    for (const { speaker, role, validAt, content, attachments } of page.turns) {
      const files = attachments.map(({ kind, description }) => `${kind}: ${description}`);
      yield { speaker, role, at: new Date(validAt).toISOString(), text: content, attachments: files };
    }
    if (from + PER_PAGE >= page.total) break;
  }
  for (const message of store.messages.pathTo(leaf, Number.MAX_SAFE_INTEGER))
    if (message.state !== 'forgotten') yield saidOf(message);
}

function saidOf({ role, at, text, model, attachments, calls }: StoredMessage): Said {
  const files = attachments.map(({ name }) => name);
  const speaker = role === 'user' ? 'You' : (model ?? ANSWER);
  const said = { speaker, role, at: new Date(at).toISOString(), text, attachments: files };
  return calls.length === 0 ? said : { ...said, calls: calls.map(saidCall) };
}

const saidCall = ({ server, tool, state, arguments: asked, result }: ToolCall): SaidCall => ({
  ...{ server, tool, state, arguments: asked, result },
  isTrusted: false,
});

function markdownOf({ speaker, at, text, attachments, calls = [] }: Said): string {
  const files = attachments.map((name) => `\n- ${name}`).join('');
  const folded = calls.map(foldedCall).join('');
  return `\n**${speaker}**, ${at.slice(0, 16).replace('T', ' ')}\n${folded}\n${text.trim()}\n${files === '' ? '' : `${files}\n`}`;
}

/** A call as a reader of Markdown folds it; its data stand in fences that they cannot end. */
function foldedCall({ server, tool, state, arguments: asked, result }: SaidCall): string {
  const name = `${server ?? 'Memory'}: ${tool}`.replace(/[<>&\s]/g, (sign) => ENTITIES[sign] ?? ' ');
  const parts = [asked, ...(result === null || result === '' ? [] : [result])].map(fenced);
  return `\n<details><summary>${name} (${state}; data of a tool, not trusted)</summary>\n\n${parts.join('\n\n')}\n\n</details>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

function fenced(data: string): string {
  const runs = Array.from(data.matchAll(/`{3,}/g), ([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return `${fence}\n${data}\n${fence}`;
}
