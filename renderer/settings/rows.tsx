import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Preferences } from '../../main/contract.ts';
import { FormRow } from '../kit/form.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { usePreference, useSetting } from './use-settings.ts';

const WORDS = text.settings.fields;

/** A row for each setting. */
export function SettingRows({ names }: { readonly names: readonly (keyof typeof WORDS)[] }) {
  return names.map((name) => <SettingRow key={name} name={name} />);
}

function SettingRow({ name }: { readonly name: keyof typeof WORDS }) {
  return <FormRow {...WORDS[name]} field={useField(name)} saved={useSetting(name)} />;
}

interface PreferenceRowProps {
  readonly name: 'name' | 'theme' | 'send' | 'isPrivate' | 'reminds' | 'confirm' | 'developer';
  readonly hint?: ReactNode;
  readonly options?: Readonly<Record<string, string>>;
  readonly icons?: Readonly<Record<string, LucideIcon>>;
}

export function PreferenceRow({ name, ...more }: PreferenceRowProps) {
  const saved = usePreference(name);
  const save = (value: Preferences[typeof name] | null) => saved.save(value ?? '');
  return <FormRow {...WORDS[name]} {...more} field={useField(name)} saved={{ ...saved, save }} />;
}

/** Automatic backups are one preference with three parts; each row has its own state of saving. */
export function BackupRow({ name }: { readonly name: keyof Preferences['backups'] }) {
  const saved = usePreference('backups');
  const key = `backups.${name}` as const;
  const part = {
    ...saved,
    value: saved.value?.[name],
    save: (value: unknown) => saved.value && saved.save({ ...saved.value, [name]: value ?? '' }),
  };
  return <FormRow {...WORDS[key]} isList field={useField(key)} saved={part} />;
}

const useField = (name: string) => useReply('settings', {}).data?.fields[name];
