import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../src/util/files.ts';

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
});
export type Bounds = z.output<typeof boundsSchema>;

const stateSchema = z.object({ bounds: boundsSchema, isMaximized: z.boolean() });
type State = z.output<typeof stateSchema>;

const DEFAULT_SIZE = { width: 1_180, height: 820 };
export const LEAST_SIZE = { width: 360, height: 480 };

interface Placement {
  readonly bounds: {
    readonly width: number;
    readonly height: number;
    readonly x?: number;
    readonly y?: number;
  };
  readonly isMaximized: boolean;
}

/** Where the window was, if enough of it is on a display that is still there; else a default size, centred. */
export function readPlacement(path: string, displays: readonly Bounds[]): Placement {
  const state = readStateFile(path, stateSchema);
  if (state === null) return { bounds: DEFAULT_SIZE, isMaximized: false };
  const { bounds, isMaximized } = state;
  const size = {
    width: Math.max(LEAST_SIZE.width, Math.min(bounds.width, 10_000)),
    height: Math.max(LEAST_SIZE.height, Math.min(bounds.height, 10_000)),
  };
  const isVisible = displays.some((display) => isTitleOn(display, { ...bounds, ...size }));
  return { bounds: isVisible ? { x: bounds.x, y: bounds.y, ...size } : size, isMaximized };
}

export function savePlacement(path: string, state: State): void {
  writeStateFile(path, state);
}

/** Whether the title bar can be grasped. */
function isTitleOn(display: Bounds, { x, y, width }: Bounds): boolean {
  const overlap = Math.min(x + width, display.x + display.width) - Math.max(x, display.x);
  return overlap >= 100 && y >= display.y && y <= display.y + display.height - 50;
}
