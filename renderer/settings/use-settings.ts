import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { create } from 'zustand';
import type { Preferences, Settings } from '../../main/contract.ts';
import type { Saved } from '../kit/form.tsx';
import { useClient, useReply } from '../state/connection.tsx';
import { RESTARTING } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { environmentName } from './setting-text.ts';

type SettingValue = Settings['settings'][string]['value'];
type Changes = Readonly<Record<string, SettingValue>>;

interface Expected {
  readonly changes: Changes;
  expect(changes: Changes): void;
  forget(key: string): void;
}

/**
 * Settings that were saved and are not read again yet: until the engine has restarted with them, it tells the earlier
 * ones.
 */
const useExpected = create<Expected>()((set) => ({
  changes: {},
  expect: (changes) => set((state) => ({ changes: { ...state.changes, ...changes } })),
  forget: (key) => set((state) => ({ changes: without(state.changes, key) })),
}));
/** After this, what the engine tells is shown, even if it is not what was saved. */
const LONGEST_EXPECTED = 20_000;

function without(changes: Changes, key: string): Changes {
  const { [key]: _, ...rest } = changes;
  return rest;
}

/** A setting of the settings file; `undefined` is its value while it is loaded, null if it is not set. */
export function useSetting<Value extends SettingValue>(key: string): Saved<Value> {
  const setting = useReply('settings', {}).data?.settings[key];
  const expected = useExpected((state) => state.changes[key]);
  const forget = useExpected((state) => state.forget);
  const { save, problem, isSaved } = useSaveSettings();
  const told = setting?.value;
  useEffect(() => {
    if (expected === undefined || told === undefined) return;
    if (JSON.stringify(expected) === JSON.stringify(told)) return forget(key);
    const timer = setTimeout(() => forget(key), LONGEST_EXPECTED);
    return () => clearTimeout(timer);
  }, [expected, told, forget, key]);
  return {
    // A null that was saved restores a default, which is known once the engine tells it.
    value: (expected === undefined || expected === null ? told : expected) as Value | undefined,
    save: (value) => save({ [key]: value }),
    problem,
    isSaved,
    lock: lockOf(key, setting?.source),
  };
}

export function lockOf(
  key: string,
  source: Settings['settings'][string]['source'] | undefined,
): string | undefined {
  if (source === 'flag') return text.settings.locked.flag(key);
  return source === 'environment' ? text.settings.locked.environment(environmentName(key)) : undefined;
}

/** Saves several settings together, which are then checked together. */
export function useSaveSettings() {
  const client = useClient();
  const expect = useExpected((state) => state.expect);
  const [isSaved, showSaved] = useMoment();
  const mutation = useMutation({
    mutationFn: (changes: Changes) => client.saveSettings({ settings: changes }),
    networkMode: 'always',
    onSuccess: ({ restarts }, changes) => {
      expect(changes);
      showSaved();
      if (restarts) toast(text.settings.restarting, { id: RESTARTING, duration: LONGEST_EXPECTED });
    },
  });
  return {
    save: (changes: Changes, onSaved?: () => void) =>
      mutation.mutate(changes, onSaved && { onSuccess: onSaved }),
    problem: mutation.error?.message,
    isSaving: mutation.isPending,
    isSaved,
  };
}

/** A preference, which restarts nothing. */
export function usePreference<Key extends keyof Preferences>(key: Key): Saved<Preferences[Key]> {
  const client = useClient();
  const queries = useQueryClient();
  const value = useReply('settings', {}).data?.preferences[key];
  const [isSaved, showSaved] = useMoment();
  const mutation = useMutation({
    mutationFn: (next: Preferences[Key]) => client.saveSettings({ preferences: { [key]: next } }),
    networkMode: 'always',
    onSuccess: ({ settings }) => {
      queries.setQueryData(['settings', {}], settings);
      showSaved();
    },
  });
  return {
    value: mutation.isPending ? mutation.variables : value,
    save: (next) => next !== null && mutation.mutate(next),
    problem: mutation.error?.message,
    isSaved,
    lock: undefined,
  };
}

/** True for two seconds after it was shown. */
function useMoment(): readonly [boolean, () => void] {
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = () => {
    clearTimeout(timer.current);
    setShown(true);
    timer.current = setTimeout(() => setShown(false), 2_000);
  };
  return [isShown, show];
}
