import wabt from 'wabt';

/** A reference measurement for comparing machines: other figures differ by about the same factor. */
export interface Calibration {
  readonly name: 'processor' | 'memory';
  readonly what: string;
  /** Median of several runs. */
  readonly ms: number;
  /** Throughput of the memory kernel. */
  readonly gigabytesPerSecond?: number;
}

export interface BandwidthKernel {
  /** Adds up the first `byteLength` bytes as float32 by SIMD; a multiple of 128, at most 256 MiB. */
  sum(byteLength: number): number;
}

const MEBIBYTE = 2 ** 20;
const STREAMED = 256 * MEBIBYTE;

/** Reads every byte once with minimal other work. */
const STREAMING_SUM = `(module
  (memory (export "memory") ${STREAMED / 65_536})
  (func (export "sum") (param $bytes i32) (result f32)
    (local $at i32)
    ${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `(local $${name} v128)`).join(' ')}
    (loop $next
      ${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
        .map(
          (name, at) =>
            `(local.set $${name} (f32x4.add (local.get $${name}) (v128.load offset=${at * 16} (local.get $at))))`,
        )
        .join('\n      ')}
      (local.set $at (i32.add (local.get $at) (i32.const 128)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))
    (f32x4.extract_lane 0 (f32x4.add
      (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d)))
      (f32x4.add (f32x4.add (local.get $e) (local.get $f)) (f32x4.add (local.get $g) (local.get $h)))))))`;

export async function bandwidthKernel(): Promise<BandwidthKernel> {
  const module = (await wabt()).parseWat('streaming-sum.wat', STREAMING_SUM, { simd: true });
  const bytes = Uint8Array.from(module.toBinary({}).buffer);
  module.destroy();
  const { memory, sum } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports;
  // Write first: untouched pages all map to one page of zeros and would fit the cache.
  new Float32Array((memory as WebAssembly.Memory).buffer).fill(1);
  return { sum: sum as BandwidthKernel['sum'] };
}

/** Integer and float64 arithmetic on registers: twenty million rounds. */
function processorKernel(): number {
  let state = 1;
  let sum = 0;
  for (let round = 0; round < 20_000_000; round++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    sum = sum * 0.5 + state;
  }
  return sum;
}

/** Median milliseconds of `runs` runs, after one warm-up run. */
export function medianMilliseconds(runs: number, work: (run: number) => unknown): number {
  work(0);
  const times = Array.from({ length: runs }, (_, run) => {
    const started = performance.now();
    work(run);
    return performance.now() - started;
  });
  times.sort((a, b) => a - b);
  return times[Math.floor(runs / 2)]!;
}

export async function calibrate(): Promise<readonly Calibration[]> {
  const kernel = await bandwidthKernel();
  const memory = medianMilliseconds(9, () => kernel.sum(STREAMED));
  return [
    {
      name: 'processor',
      what: '20 million rounds of xorshift and one float64 multiply-add',
      ms: medianMilliseconds(5, processorKernel),
    },
    {
      name: 'memory',
      what: 'WebAssembly SIMD sum over 256 MiB',
      ms: memory,
      gigabytesPerSecond: STREAMED / memory / 1e6,
    },
  ];
}
