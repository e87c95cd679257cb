import type { ParentPort } from 'electron';
import { dataFolder } from '../../src/util/files.ts';
import { CrashReports } from './crash-reports.ts';
import { serveDesktop } from './serve-desktop.ts';

// The program of the utility process. Its environment holds the settings and the language model's key.
const { parentPort } = process as unknown as { readonly parentPort: ParentPort };

new CrashReports(dataFolder(process.env)).watch('engine');
await serveDesktop({
  environment: process.env,
  folder: process.cwd(),
  wire: {
    post: (message) => parentPort.postMessage(message),
    subscribe: (listener) => {
      const receive = ({ data }: { readonly data: unknown }) => listener(data);
      parentPort.on('message', receive);
      return () => void parentPort.off('message', receive);
    },
  },
  logger: { warn: (message) => process.stderr.write(`${message}\n`) },
});
process.exit(0);
