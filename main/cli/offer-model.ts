import { canRunModels, SHIPPED_EMBEDDER } from '../../src/inference/models/shipped-model.ts';
import { writeSettings } from '../assistant/settings/settings-file.ts';
import type { Config } from '../config.ts';
import { type CommandConsole, canAsk, cancellable, confirm } from './console.ts';
import { pull } from './pull-model.ts';

const COMMAND = `mnemis models pull ${SHIPPED_EMBEDDER}`;

interface OfferContext {
  /** The settings file. */
  readonly file: string;
  readonly console: CommandConsole;
}

/**
 * Asks once, before the first memory is made, whether to fetch a sentence encoder, and writes it into the settings file.
 * Where nobody can answer, or models of files cannot run, prints one line.
 *
 * @returns the embedder to use.
 */
export async function offerModel(config: Config, { file, console }: OfferContext): Promise<string> {
  const { terminal } = console;
  if (!canAsk(terminal) || !(await canRunModels())) {
    console.note(`Search finds more with a sentence encoder: ${COMMAND} (docs/models.md).`);
    return config.embedder;
  }
  let embedder = config.embedder;
  await cancellable(terminal, async (signal) => {
    const question = `Search finds more with a sentence encoder, ${SHIPPED_EMBEDDER} (23 MB, Apache-2.0). Fetch it now?`;
    if (!(await confirm(terminal, question, signal))) {
      console.note(`Later: ${COMMAND}, then mnemis reembed --embedder ${SHIPPED_EMBEDDER}`);
      return;
    }
    await pull(SHIPPED_EMBEDDER, { console, config, signal });
    await writeSettings(file, { embedder: SHIPPED_EMBEDDER });
    embedder = SHIPPED_EMBEDDER;
  });
  return embedder;
}
