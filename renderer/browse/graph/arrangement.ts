import type { Link } from './start-positions.ts';

/** What the worker gets: numbers by node, without names. */
export interface Arrangement {
  /** x and y of each node. */
  readonly places: Float32Array;
  readonly sizes: Float32Array;
  /** For each link: both ends, and the weight. */
  readonly links: Float32Array;
  readonly rounds: number;
}

/** Where the nodes are by now. */
export interface Arranged {
  readonly places: Float32Array;
  readonly isDone: boolean;
}

interface Options {
  readonly places: Float32Array;
  readonly sizes: Float32Array;
  readonly links: readonly Link[];
  readonly rounds: number;
  readonly onStep: (step: Arranged) => void;
}

/** Arranges nodes in a worker, which ends by itself. Returns what ends it at once. */
export function arrange({ places, sizes, links, rounds, onStep }: Options): () => void {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Arranged>) => {
    if (data.isDone) worker.terminate();
    onStep(data);
  };
  // Without the worker, nodes stay where they began, which is a picture as well.
  worker.onerror = () => onStep({ places, isDone: true });
  worker.postMessage({ places, sizes, links: Float32Array.from(links.flat()), rounds } satisfies Arrangement);
  return () => worker.terminate();
}
