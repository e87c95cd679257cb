import { localClient } from '../../../main/client/local-client.ts';
import { reconnecting } from '../../../main/client/reconnecting.ts';
import { memoryClientContract } from '../../contract/memory-client.ts';
import { openAssistant, openEngine, ServerLab } from '../http/server-fixture.ts';

memoryClientContract('localClient', async () => {
  const engine = await openEngine();
  const { app, close } = await openAssistant(engine);
  return { client: localClient(engine, { app }), end: () => close().finally(() => engine.close()) };
});

memoryClientContract('httpClient', async () => {
  const lab = await ServerLab.open();
  return { client: lab.client, end: () => lab[Symbol.asyncDispose]() };
});

memoryClientContract('reconnecting', async () => {
  const lab = await ServerLab.open();
  return { client: reconnecting(async () => lab.client), end: () => lab[Symbol.asyncDispose]() };
});
