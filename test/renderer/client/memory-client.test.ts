import { fetchClient } from '../../../renderer/client/fetch-client.ts';
import { memoryClientContract } from '../../contract/memory-client.ts';
import { ServerLab } from '../../main/server/server-fixture.ts';

memoryClientContract('fetchClient', async () => {
  const lab = await ServerLab.open();
  const client = fetchClient({ origin: `http://127.0.0.1:${lab.server.port}`, token: () => lab.token });
  return { client, end: () => lab[Symbol.asyncDispose]() };
});
