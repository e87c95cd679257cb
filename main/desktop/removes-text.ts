import { contract } from '../contract.ts';
import { portRequestSchema } from './port-server.ts';

const REMOVING: ReadonlySet<string> = new Set(
  Object.entries(contract).flatMap(([method, { effect }]) => (effect === 'removes' ? [method] : [])),
);

/** Whether requests of this method remove text. */
export const isRemoving = (method: string): boolean => REMOVING.has(method);

/** Whether a window's message asks for something to be forgotten, or erased from disk. */
export function removesText(message: unknown): boolean {
  const { data } = portRequestSchema.safeParse(message);
  return data?.type === 'request' && isRemoving(data.method);
}
