import { Command } from 'commander';
import { CONFIG_KEYS, type Config, configSchema, environmentName, resolveConfig } from '../../config.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../with-memory.ts';

export function configCommand(terminal: Terminal): Command {
  return commonFlags(new Command('config'))
    .description(
      'Show every setting, its value, and whether a flag, the environment, the file or a default set it.',
    )
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
      console.result({ file, settings: report }, () => [
        ...CONFIG_KEYS.map(
          (key) =>
            `${console.style('bold', key.padEnd(13))}${String(values[key]).padEnd(40)} ${console.style('dim', `${sources[key]}; ${environmentName(key)}; ${configSchema.shape[key].description}`)}`,
        ),
        console.style('dim', `Settings file: ${file}`),
      ]);
    });
}
