import { Argument } from 'commander';
import { HOOKED_AGENTS } from '../../agents/hook-event.ts';

export const agentArgument = () => new Argument('<agent>', 'the coding agent').choices(HOOKED_AGENTS);
