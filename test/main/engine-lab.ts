import { connect } from '../../main/client/connect.ts';
import { findOrStart, type StartOptions } from '../../main/client/find-engine.ts';
import { resolveConfig } from '../../main/config.ts';
import type { MemoryClient } from '../../main/contract.ts';
import { readDiscovery } from '../../main/processes/discovery-file.ts';
import { programArguments } from '../child-program.ts';
import { CommandLab, MAIN } from './cli/fake-terminal.ts';

/** A folder whose engine runs in a process of its own, which can be killed; a client starts the next one. */
export class EngineLab implements AsyncDisposable {
  readonly lab: CommandLab;
  readonly client: MemoryClient;
  readonly #options: StartOptions;

  private constructor(lab: CommandLab, options: StartOptions, client: MemoryClient) {
    this.lab = lab;
    this.client = client;
    this.#options = options;
  }

  static async open(lab = new CommandLab()): Promise<EngineLab> {
    const options = {
      config: resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder }).values,
      environment: { ...process.env, ...lab.env },
      folder: lab.folder,
      program: programArguments(MAIN),
    };
    return new EngineLab(lab, options, await connect(options));
  }

  /** As `kill -9`; resolves when the process is gone. */
  async kill(): Promise<void> {
    const found = await readDiscovery(this.#options.config.path);
    if (found === null) return;
    for (let isAlive = true; isAlive; await new Promise((resolve) => setTimeout(resolve, 20)))
      try {
        process.kill(found.pid, 'SIGKILL');
      } catch {
        isAlive = false;
      }
  }

  /** Starts the next engine, as the first request of a client does. */
  async start(): Promise<void> {
    await findOrStart(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.kill();
    this.lab[Symbol.dispose]();
  }
}
