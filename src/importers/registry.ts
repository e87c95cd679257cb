import { UnknownNameError } from '../errors/index.ts';
import { cherryStudioImporter } from './assistants/cherry-studio.ts';
import { claudeCodeImporter, codexImporter } from './assistants/coding-agents.ts';
import { geminiImporter } from './assistants/gemini.ts';
import { janImporter } from './assistants/jan.ts';
import { libreChatImporter } from './assistants/librechat.ts';
import { lmStudioImporter } from './assistants/lm-studio.ts';
import { messagesImporter } from './assistants/messages.ts';
import { openWebUiImporter } from './assistants/open-webui.ts';
import { chatGptImporter } from './chatgpt/chatgpt.ts';
import { claudeImporter } from './claude/claude.ts';
import { csvImporter } from './csv.ts';
import { markdownImporter, textImporter } from './documents/documents.ts';
import { graphitiImporter } from './graphiti/graphiti.ts';
import type { Importer } from './importer.ts';
import { jsonlImporter } from './jsonl.ts';
import { mem0Importer } from './mem0.ts';
import { discordImporter } from './messengers/discord.ts';
import { iMessageImporter } from './messengers/imessage.ts';
import { signalImporter } from './messengers/signal.ts';
import { slackImporter } from './messengers/slack.ts';
import { savedMemoriesImporter } from './saved-memories.ts';
import { serverMemoryImporter } from './server-memory/server-memory.ts';
import { telegramImporter } from './telegram/telegram.ts';
import { whatsAppImporter } from './whatsapp/whatsapp.ts';

/** In the order of detection: documents come last, because any text may be one. */
export const IMPORTERS: readonly Importer[] = [
  jsonlImporter,
  chatGptImporter,
  claudeImporter,
  geminiImporter,
  openWebUiImporter,
  libreChatImporter,
  lmStudioImporter,
  janImporter,
  cherryStudioImporter,
  claudeCodeImporter,
  codexImporter,
  telegramImporter,
  signalImporter,
  slackImporter,
  discordImporter,
  iMessageImporter,
  whatsAppImporter,
  mem0Importer,
  graphitiImporter,
  messagesImporter,
  csvImporter,
  savedMemoriesImporter,
  serverMemoryImporter,
  markdownImporter,
  textImporter,
];

/**
 * @param importers - The candidates; `DATASET_IMPORTERS` of `mnemis/eval` reads the data sets of the papers.
 * @throws UnknownNameError, which lists the known names.
 */
export function importerNamed(name: string, importers: readonly Importer[] = IMPORTERS): Importer {
  const importer = importers.find((candidate) => candidate.name === name);
  if (importer !== undefined) return importer;
  throw new UnknownNameError(
    'import format',
    name,
    importers.map((known) => known.name),
  );
}
