import { defineError } from '../../../src/errors/mnemis-error.ts';

/** An agent's configuration cannot be changed safely. */
export class ConfigBrokenError extends defineError('agent-config', (file: string, what: string) => ({
  message: `${file} is left as it is: ${what}. Correct it, then run the command again.`,
})) {}

/** Another program wrote the configuration at the same time. */
export class ConfigChangedError extends defineError('agent-config-changed', (file: string) => ({
  message: `${file} was changed meanwhile by another program and is left as it is. Run the command again.`,
})) {}
