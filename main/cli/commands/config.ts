import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CONFIG_KEYS, type Config, type ConfigKey, configSchema, environmentName } from '../../config.ts';
import { MODEL_KEY_VARIABLE, modelKeyFrom } from '../../language-model.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, languageModelFlags, wholeNumber } from '../flags.ts';
import { settingsOf } from '../run-command.ts';

export function configCommand(terminal: Terminal): Command {
  return languageModelFlags(commonFlags(new Command('config')))
    .description('Show every setting, its value and its source: flag, environment, file or default.')
    .option('--k <number>', 'turns in an answer’s context', wholeNumber)
    .option('--recipe <name>', 'the search recipe')
    .action((flags: CommonFlags & Partial<Config>) => {
      const console = new CommandConsole(terminal, flags.json === true);
      const { json: _json, ...settings } = flags;
      const { values, sources, file } = settingsOf(terminal, settings);
      const report = Object.fromEntries(
        CONFIG_KEYS.map((key) => [
          key,
          {
            value: values[key] ?? null,
            source: sources[key],
            environment: environmentName(key),
            description: configSchema.shape[key].description,
          },
        ]),
      );
      const shown = (key: ConfigKey) => asText(values[key]);
      const widest = (text: (key: ConfigKey) => string) =>
        Math.max(...CONFIG_KEYS.map((key) => text(key).length));
      const widths = { key: widest((key) => key), value: widest(shown), name: widest(environmentName) };
      // The key itself is never printed.
      const key = modelKeyFrom(terminal.env, values) === undefined ? 'not set' : 'set';
      console.result({ file, settings: report, secrets: { [MODEL_KEY_VARIABLE]: key } }, () => [
        ...CONFIG_KEYS.map((key) => {
          const origin = `${sources[key].padEnd(11)}  ${environmentName(key).padEnd(widths.name)}  ${configSchema.shape[key].description}`;
          return `${console.style('bold', key.padEnd(widths.key))}  ${shown(key).padEnd(widths.value)}  ${console.style('dim', origin)}`;
        }),
        console.style('dim', `Key of the language model (${MODEL_KEY_VARIABLE}): ${key}`),
        console.style('dim', `Settings file: ${file}${existsSync(file) ? '' : ' (does not exist)'}`),
      ]);
    });
}

function asText(value: Config[ConfigKey]): string {
  if (value === undefined) return 'not set';
  return typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}
