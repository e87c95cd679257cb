import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { localClient } from '../../../main/client/local-client.ts';
import { PortServer } from '../../../main/desktop/port-server.ts';
import { fetchClient } from '../../../renderer/client/fetch-client.ts';
import { portClient, type Wire } from '../../../renderer/client/port-client.ts';
import { memoryClientContract } from '../../contract/memory-client.ts';
import { openAssistant, openEngine, ServerLab } from '../../main/http/server-fixture.ts';

memoryClientContract('fetchClient', async () => {
  const lab = await ServerLab.open();
  const client = fetchClient({ origin: `http://127.0.0.1:${lab.server.port}`, token: () => lab.token });
  return { client, end: () => lab[Symbol.asyncDispose]() };
});

memoryClientContract('portClient', async () => {
  const engine = await openEngine();
  const { app, close } = await openAssistant(engine);
  const { port1, port2 } = new MessageChannel();
  const server = new PortServer({ client: localClient(engine, { app }), wire: wireOf(port1) });
  const client = portClient({ wire: wireOf(port2) });
  const end = async () => {
    await client.close();
    await server.close();
    port1.close();
    await close();
    await engine.close();
  };
  return { client, end };
});

function wireOf(port: MessagePort): Wire {
  return {
    post: (message) => port.postMessage(message),
    subscribe: (listener) => {
      port.on('message', listener);
      return () => port.off('message', listener);
    },
  };
}
