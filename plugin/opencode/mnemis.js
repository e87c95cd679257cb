// Mnemis for OpenCode: gives each prompt what memory has on it, and stores prompts and outcomes.
import { spawn } from 'node:child_process';

const COMMAND = ['mnemis', 'agent', 'hook', 'opencode'];
const MILLISECONDS = 30_000;

export const MnemisPlugin = async ({ client, directory }) => {
  const told = new Set();
  const isSubAgent = new Map();

  async function belongsToAgent(sessionID) {
    if (!isSubAgent.has(sessionID)) {
      const { data } = await client.session.get({ path: { id: sessionID } });
      isSubAgent.set(sessionID, Boolean(data?.parentID));
    }
    return isSubAgent.get(sessionID);
  }

  const hook = (sessionID, payload) => ask({ session_id: sessionID, cwd: directory, ...payload });

  return {
    'chat.message': ({ sessionID, messageID }, { message, parts }) =>
      safely(async () => {
        if (await belongsToAgent(sessionID)) return;
        const prompt = textOf(parts);
        if (prompt === '') return;
        const id = messageID ?? message.id;
        const first = told.has(sessionID) ? null : await hook(sessionID, { hook_event_name: 'SessionStart' });
        told.add(sessionID);
        const found = await hook(sessionID, { hook_event_name: 'UserPromptSubmit', turn_id: id, prompt });
        const text = [first, found].filter(Boolean).join('\n\n');
        if (text === '') return;
        const part = `prt_mnemis_${Date.now().toString(36)}`;
        parts.push({ id: part, sessionID, messageID: message.id, type: 'text', text, synthetic: true });
      }),
    event: ({ event }) =>
      safely(async () => {
        if (event.type === 'session.compacted') told.delete(event.properties.sessionID);
        if (event.type !== 'session.idle') return;
        const { sessionID } = event.properties;
        if (await belongsToAgent(sessionID)) return;
        const { data = [] } = await client.session.messages({ path: { id: sessionID } });
        const asked = data.findLast(({ info }) => info.role === 'user');
        const last = data.findLast(({ info, parts }) => info.role === 'assistant' && textOf(parts) !== '');
        if (!asked || !last || data.indexOf(last) < data.indexOf(asked)) return;
        const said = { turn_id: asked.info.id, last_assistant_message: textOf(last.parts) };
        await hook(sessionID, { hook_event_name: 'Stop', ...said });
      }),
  };
};

/** What somebody wrote, without what programs added. */
function textOf(parts) {
  const texts = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic).map(({ text }) => text);
  return texts.join('\n').trim();
}

/** A failure of memory must not break the session. */
async function safely(work) {
  try {
    await work();
  } catch {
    // The command has said why on its standard error.
  }
}

/** What memory has for the agent; null for nothing. */
function ask(payload) {
  return new Promise((resolve) => {
    const [command, ...args] = COMMAND;
    const shell = process.platform === 'win32' && !command.includes('/'); // `mnemis` is a script there
    const child = spawn(command, args, { shell, stdio: ['pipe', 'pipe', 'ignore'], timeout: MILLISECONDS });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    child.once('error', () => resolve(null));
    child.once('close', () => {
      try {
        resolve(JSON.parse(printed).context ?? null);
      } catch {
        resolve(null);
      }
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}
