import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CONFIG_KEYS, type Config, configSchema, environmentName, resolveConfig } from '../../config.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, wholeNumber } from '../with-memory.ts';

export function configCommand(terminal: Terminal): Command {
  return commonFlags(new Command('config'))
    .description(
      'Show every setting, its value, and whether a flag, the environment, the file or a default set it.',
    )
    .option('--k <number>', 'episodes in an answer’s context', wholeNumber)
    .option('--recipe <name>', 'how to search')
    .action((flags: CommonFlags & Partial<Config>) => {
      const console = new CommandConsole(terminal, flags.json === true);
      const { json: _json, ...settings } = flags;
      const { values, sources, file } = resolveConfig({
        flags: settings,
        environment: terminal.env,
        folder: terminal.cwd(),
      });
      const report = Object.fromEntries(
        CONFIG_KEYS.map((key) => [
          key,
          {
            value: values[key],
            source: sources[key],
            environment: environmentName(key),
            description: configSchema.shape[key].description,
          },
        ]),
      );
      const width = Math.max(...CONFIG_KEYS.map((key) => String(values[key]).length));
      console.result({ file, settings: report }, () => [
        ...CONFIG_KEYS.map((key) => {
          const origin = `${sources[key].padEnd(11)}  ${environmentName(key).padEnd(21)}  ${configSchema.shape[key].description}`;
          return `${console.style('bold', key.padEnd(12))}  ${String(values[key]).padEnd(width)}  ${console.style('dim', origin)}`;
        }),
        console.style('dim', `Settings file: ${file}${existsSync(file) ? '' : ' (not there)'}`),
      ]);
    });
}
