import { z } from 'zod';
import { InvalidInputError } from '../../src/errors/index.ts';
import { MODEL_KEY_VARIABLE } from '../model-key.ts';
import type { KeyStore } from './key-store.ts';
import type { Override } from './port-relay.ts';

const keyInput = z.strictObject({
  key: z
    .string()
    .max(500)
    .regex(/^[\x21-\x7e]+$/)
    .nullable(),
});
const settingsReply = z.looseObject({ key: z.looseObject({ isSet: z.boolean() }) });
const savedReply = z.looseObject({ settings: settingsReply });

interface Keys {
  readonly store: KeyStore;
  /** Whether the environment sets the key, which then is the one that is used. */
  readonly isInEnvironment: boolean;
  /** Restarts the engine with the new key in its environment. */
  readonly restart: () => void;
}

/** In the desktop app the key lives in the system's secure storage. No reply to a window contains it. */
export function keyOverrides({ store, isInEnvironment, restart }: Keys): Readonly<Record<string, Override>> {
  const withKey = <T extends z.output<typeof settingsReply>>(settings: T): T =>
    isInEnvironment || !store.isAvailable
      ? settings
      : {
          ...settings,
          key: { storage: 'system', variable: MODEL_KEY_VARIABLE, isSet: store.read() !== null },
        };
  return {
    settings: async (input, forward) => withKey(settingsReply.parse(await forward(input))),
    saveSettings: async (input, forward) => {
      const reply = savedReply.parse(await forward(input));
      return { ...reply, settings: withKey(reply.settings) };
    },
    saveKey: async (input) => {
      const { data } = keyInput.safeParse(input);
      if (data === undefined)
        throw new InvalidInputError('The key must be of 1 to 500 ASCII characters, without spaces');
      store.save(data.key);
      restart();
      return { isSet: data.key !== null, restarts: true };
    },
  };
}
