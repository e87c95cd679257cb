import type { ForgetConfirmations } from '../../src/langchain/tools/forget-confirmation.ts';
import type { MemoryClient } from '../contract.ts';
import type { ServerSettings } from './server-options.ts';

/** What the tools and resources of one server work with. */
export interface ToolContext {
  readonly client: MemoryClient;
  readonly settings: ServerSettings;
  readonly confirmations: ForgetConfirmations;
}
