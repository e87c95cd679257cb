import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandConsole, type Terminal } from '../../../main/cli/console.ts';
import { offerModel } from '../../../main/cli/offer-model.ts';
import { settingsOf } from '../../../main/cli/run-command.ts';
import { smallEmbedder } from '../../fakes/small-models.ts';

const SHIPPED = 'all-minilm-l6-v2:int8';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mnemis-offer-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function offer({ answer, isTTY = true }: { readonly answer: string; readonly isTTY?: boolean }) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(answer);
  const terminal = {
    ...{ stdin, stderr, stdout: new PassThrough(), cwd: () => folder },
    ...{ once: () => undefined, removeListener: () => undefined },
    env: {
      XDG_DATA_HOME: join(folder, 'data'),
      LOCALAPPDATA: join(folder, 'data'),
      MNEMIS_MODELS_FOLDER: join(folder, 'models'),
      MNEMIS_MODELS_MIRROR: join(folder, 'mirror'),
    },
  } as unknown as Terminal;
  const { values, file } = settingsOf(terminal, {});
  const embedder = await offerModel(values, { file, console: new CommandConsole(terminal, false) });
  stderr.end();
  return { embedder, file, said: await text(stderr) };
}

describe('offerModel', () => {
  it('fetches the model and sets it', async () => {
    for (const [path, content] of Object.entries(smallEmbedder())) {
      const at = join(folder, 'mirror/all-minilm-l6-v2', path.replace('model.onnx', 'model_quantized.onnx'));
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content);
    }
    const { embedder, file, said } = await offer({ answer: 'yes\n' });
    expect(embedder).toBe(SHIPPED);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ embedder: SHIPPED });
    expect(existsSync(join(folder, 'models/all-minilm-l6-v2/onnx/model_quantized.onnx'))).toBe(true);
    expect(said).toContain('Fetch it now? [yes/no]');
  });

  it('changes nothing at another answer, and says how to do it later', async () => {
    const { embedder, file, said } = await offer({ answer: '\n' });
    expect(embedder).toBe('static');
    expect(existsSync(file)).toBe(false);
    expect(said).toContain(`mnemis models pull ${SHIPPED}, then mnemis reembed`);
  });

  it('says one line where nobody can answer', async () => {
    const { embedder, said } = await offer({ answer: '', isTTY: false });
    expect(embedder).toBe('static');
    expect(said).toMatch(/^Search finds more .*mnemis models pull all-minilm-l6-v2:int8.*\n$/);
  });
});
