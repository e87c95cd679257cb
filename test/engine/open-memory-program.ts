import { Mnemis } from '../../src/engine.ts';

/** Opens an empty memory and prints the resident memory of this process. */
const engine = await Mnemis.open({ path: process.argv[2]! });
process.stdout.write(String(process.memoryUsage.rss()));
await engine.close();
