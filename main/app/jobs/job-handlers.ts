import { jobMethods } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import { type AppHandlers, notYet } from '../app-handlers.ts';

export function jobHandlers(_context: AppContext): AppHandlers<keyof typeof jobMethods> {
  return notYet(jobMethods);
}
