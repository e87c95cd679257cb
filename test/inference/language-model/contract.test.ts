import { languageModelContract, type MakeLanguageModel } from '../../contract/language-model.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import type { Said } from '../../fakes/openai-server/script.ts';
import { BACKENDS, openLab } from './model-lab.ts';

languageModelContract('FakeLanguageModel', async (reply) =>
  Object.assign(new FakeLanguageModel(({ user }) => reply(user)), {
    [Symbol.asyncDispose]: async () => undefined,
  }),
);

for (const backend of Object.keys(BACKENDS))
  for (const strategy of ['schema', 'tool', 'json', 'plain'] as const) {
    const make: MakeLanguageModel = async (reply) => {
      const lab = await openLab(backend, {
        strategies: [strategy],
        server: { reply: async ({ messages }) => (await reply(messages[1]!.content)) as Said },
      });
      return Object.assign(lab.model, { [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() });
    };
    languageModelContract(`ChatLanguageModel over ${backend} by ${strategy}`, make);
  }
