import { existsSync } from 'node:fs';
import { Command } from 'commander';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  configSchema,
  describeSource,
  environmentName,
  shownValue,
} from '../../config.ts';
import { modelKeyFrom } from '../../language-model.ts';
import { MODEL_KEY_VARIABLE } from '../../model-keys.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import {
  type CommonFlags,
  commonFlags,
  languageModelFlags,
  type VerboseFlags,
  verboseFlag,
  wholeNumber,
} from '../flags.ts';
import { settingsOf } from '../run-command.ts';

export function configCommand(terminal: Terminal): Command {
  const command = languageModelFlags(commonFlags(new Command('config')))
    .description('Show every setting, its value and its source: flag, environment, file or default.')
    .option('--k <number>', 'turns in an answer’s context', wholeNumber)
    .option('--recipe <name>', 'the search recipe');
  return verboseFlag(command, 'also show what each setting does, and its name in the environment').action(
    ({ verbose = false, ...flags }: CommonFlags & Partial<Config> & VerboseFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      const { json: _json, ...settings } = flags;
      const { values, sources, file } = settingsOf(terminal, settings);
      const report = Object.fromEntries(
        CONFIG_KEYS.map((key) => [
          key,
          {
            value: shownValue(values, key) ?? null,
            source: sources[key],
            environment: environmentName(key),
            description: configSchema.shape[key].description,
          },
        ]),
      );
      const shown = (key: ConfigKey) => asText(shownValue(values, key));
      const width = Math.max(...CONFIG_KEYS.map((key) => key.length));
      const origin = (key: ConfigKey) => console.style('dim', `  ${describeSource(key, sources[key])}`);
      // The key itself is never printed.
      const key = modelKeyFrom(terminal.env, values) === undefined ? 'not set' : 'set';
      console.result({ file, settings: report, secrets: { [MODEL_KEY_VARIABLE]: key } }, () => [
        ...CONFIG_KEYS.flatMap((key) => [
          `${console.style('bold', key.padEnd(width))}  ${shown(key)}${origin(key)}`,
          ...(verbose
            ? [
                console.style('dim', `    ${configSchema.shape[key].description}`),
                console.style('dim', `    ${environmentName(key)}`),
              ]
            : []),
        ]),
        '',
        console.style('dim', `Key of the language model (${MODEL_KEY_VARIABLE}): ${key}`),
        console.style('dim', `Settings file: ${file}${existsSync(file) ? '' : ' (does not exist)'}`),
        ...(verbose ? [] : [console.style('dim', 'What each setting does: mnemis config --verbose')]),
      ]);
    },
  );
}

function asText(value: Config[ConfigKey]): string {
  if (value === undefined) return 'not set';
  return typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}
