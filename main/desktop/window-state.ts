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

/**
 * Where the window was, if enough of it is on a display that is still there; else centred, and no larger than the first
 * display. The size of a maximized window is the one that it returns to.
 */
export function readPlacement(path: string, displays: readonly Bounds[]): Placement {
  const { bounds, isMaximized } = readStateFile(path, stateSchema) ?? { bounds: null, isMaximized: false };
  if (bounds === null) return { bounds: fitted(DEFAULT_SIZE, displays), isMaximized };
  const size = fitted(bounds);
  const isVisible = displays.some((display) => isTitleOn(display, { ...bounds, ...size }));
  const shown = isVisible ? { x: bounds.x, y: bounds.y, ...size } : fitted(bounds, displays);
  return { bounds: shown, isMaximized };
}

type Size = Pick<Bounds, 'width' | 'height'>;

function fitted({ width, height }: Size, [display]: readonly Bounds[] = []): Size {
  const within = (value: number, least: number, most = 10_000) => Math.max(least, Math.min(value, most));
  return {
    width: within(width, LEAST_SIZE.width, display?.width),
    height: within(height, LEAST_SIZE.height, display?.height),
  };
}

export function savePlacement(path: string, state: State): void {
  writeStateFile(path, state);
}

/** Whether the title bar can be grasped. */
function isTitleOn(display: Bounds, { x, y, width }: Bounds): boolean {
  const overlap = Math.min(x + width, display.x + display.width) - Math.max(x, display.x);
  return overlap >= 100 && y >= display.y && y <= display.y + display.height - 50;
}
