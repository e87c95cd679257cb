import type { ParentPort } from 'electron';
import { startModelsWith } from '../../src/inference/llama/process/start-model-process.ts';
import { dataFolder } from '../../src/util/files.ts';
import { CrashReports } from './crash-reports.ts';
import { modelsByMain } from './model-processes.ts';
import type { Wire } from './port-server.ts';
import { serveDesktop } from './serve-desktop.ts';

// The program of the utility process. Its environment holds the settings and the language model's key.
const { parentPort } = process as unknown as { readonly parentPort: ParentPort };

new CrashReports(dataFolder(process.env)).watch('engine');
const wire: Wire = {
  post: (message) => parentPort.postMessage(message),
  subscribe: (listener) => {
    const receive = ({ data }: { readonly data: unknown }) => listener(data);
    parentPort.on('message', receive);
    return () => void parentPort.off('message', receive);
  },
};
startModelsWith(modelsByMain(wire));
await serveDesktop({
  environment: process.env,
  folder: process.cwd(),
  wire,
  logger: { warn: (message) => process.stderr.write(`${message}\n`) },
});
process.exit(0);
