import { isDeepStrictEqual } from 'node:util';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  type ConfigSource,
  configSchema,
  type ResolvedConfig,
  resolveConfig,
  shownValue,
} from '../../config.ts';
import type { Settings } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';

export type SettingsContext = Omit<AppContext, 'reading' | 'usage' | 'running' | 'calls'>;

/** The settings that the engine was opened with, and where each came from. */
export interface OpenedSettings extends ResolvedConfig {
  /** Settings to pass as flags when the memory is reopened. */
  readonly flags: Partial<Record<ConfigKey, unknown>>;
}

/**
 * Resolves the settings again, to learn where they come from. A setting that has another value than the engine was
 * opened with was given by whoever opened it, as a flag is.
 *
 * @throws InvalidSettingError
 */
export function openedSettings(context: SettingsContext): OpenedSettings {
  const { config, environment, folder } = context;
  const given = context.flags ?? {};
  const { values, sources, file } = resolveConfig({ flags: given, environment, folder });
  const others = CONFIG_KEYS.filter((key) => !isDeepStrictEqual(values[key], config[key]));
  const flags = { ...given, ...Object.fromEntries(others.map((key) => [key, config[key]])) };
  const ofFlags = Object.fromEntries(others.map((key) => [key, 'flag' satisfies ConfigSource]));
  return { values: config, sources: { ...sources, ...ofFlags }, file, flags };
}

export function describedSettings({ values, sources }: ResolvedConfig): Settings['settings'] {
  return Object.fromEntries(
    CONFIG_KEYS.map((key) => [
      key,
      {
        value: plainValue(values, key),
        source: sources[key],
        description: configSchema.shape[key].description ?? '',
      },
    ]),
  );
}

function plainValue(values: Config, key: ConfigKey): Settings['settings'][string]['value'] {
  const value = shownValue(values, key) ?? null;
  return Array.isArray(value) ? [...value] : value;
}

/** Keys whose value differs between two configurations. */
export function differing(before: Config, after: Config): ConfigKey[] {
  return CONFIG_KEYS.filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
