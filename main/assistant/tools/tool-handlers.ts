import type { toolMethods } from '../../contract/tools.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';

export function toolHandlers({
  tools,
  calls,
}: Pick<AppContext, 'tools' | 'calls'>): AppHandlers<keyof typeof toolMethods> {
  return {
    toolServers: async () => tools.describe(),
    saveToolServer: async ({ name, replaces, server }) => {
      await tools.save(name, server, replaces);
      return tools.describe();
    },
    importToolServers: async ({ json }) => {
      const added = tools.import(json);
      return { added, ...tools.describe() };
    },
    switchToolServer: async ({ name, isOn }) => {
      await tools.switch(name, isOn);
      return tools.describe();
    },
    removeToolServer: async ({ name }) => {
      await tools.remove(name);
      return tools.describe();
    },
    startToolServer: async ({ name }) => {
      await tools
        .connection(name)
        .start()
        .catch(() => undefined); // its problem says why
      return tools.describe();
    },
    setToolPermission: async ({ server, tool, permission }) => {
      tools.permitNamed(server, tool, permission);
      return tools.describe();
    },
    permitTool: async ({ call, decision }) => {
      calls.decide(call, decision);
      return {};
    },
  };
}
