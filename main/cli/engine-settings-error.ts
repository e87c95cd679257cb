import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';
import type { ConfigKey } from '../config.ts';

/** Flags say how to open a memory that another process has open already. */
export class EngineSettingsError extends MnemisError {
  static readonly code = 'engine-settings';
  static override readonly isInstance = hasCode<EngineSettingsError>(EngineSettingsError.code);

  constructor(keys: readonly ConfigKey[], pid: number) {
    const flags = keys.map((key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    super({
      code: EngineSettingsError.code,
      message: `The engine with pid ${pid} runs with settings of its own; nothing was asked of it. Leave out ${flags.join(', ')}, or end it first with "mnemis server stop".`,
    });
  }
}
