import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubRefusalError } from '../../../src/errors/index.ts';
import { partPath } from '../../../src/inference/hub/fetch-file.ts';
import { HubOrigin } from '../../../src/inference/hub/hub-origin.ts';
import { type PullProgress, pullModel } from '../../../src/inference/hub/pull-model.ts';
import { COMMIT, HubServer, sha256Of } from '../../fakes/hub-server.ts';
import { gate } from '../../fixtures/gate.ts';
import { HubLab, SOURCE, TOKENIZER, WEIGHTS } from './hub-lab.ts';

const MODEL = 'onnx/model.onnx';
const WHOLE = ['mnemis-model.json', MODEL, 'tokenizer.json'];
const HALF = 1_500_000;
const code = (name: string) => expect.objectContaining({ code: name });
const says = (name: string, message: RegExp) =>
  expect.objectContaining({ code: name, message: expect.stringMatching(message) });

/** Leaves the first half of the weights, like a killed pull. */
function leavePart(lab: HubLab, content: Uint8Array): string {
  const digest = { kind: 'sha256' as const, hex: sha256Of(WEIGHTS) };
  const path = partPath({ path: MODEL, bytes: WEIGHTS.length, digest }, lab.home);
  mkdirSync(join(lab.home, '.parts'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

describe('pullModel', () => {
  it('downloads the files and a manifest, and nothing else', async () => {
    await using lab = await HubLab.start();
    const manifest = await lab.pull();
    expect(lab.files()).toEqual(WHOLE);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.read('tokenizer.json').toString()).toBe(TOKENIZER);
    expect(manifest).toEqual({
      format: 'mnemis-model',
      version: 1,
      name: 'tiny',
      repository: 'owner/model',
      revision: 'main',
      commit: COMMIT,
      files: [
        { path: 'tokenizer.json', bytes: TOKENIZER.length, sha256: sha256Of(Buffer.from(TOKENIZER)) },
        { path: MODEL, bytes: WEIGHTS.length, sha256: sha256Of(WEIGHTS) },
      ],
    });
    expect(JSON.parse(lab.read('mnemis-model.json').toString())).toEqual(manifest);
  });

  it('reports the progress of each file and of the total', async () => {
    await using lab = await HubLab.start();
    const seen: PullProgress[] = [];
    await lab.pull({ onProgress: (progress) => void seen.push(progress) });
    const total = TOKENIZER.length + WEIGHTS.length;
    expect(seen.at(-1)).toEqual({
      file: MODEL,
      fileDone: WEIGHTS.length,
      fileTotal: WEIGHTS.length,
      done: total,
      total,
    });
    expect(seen.every(({ done }, index) => index === 0 || done >= seen[index - 1]!.done)).toBe(true);
  });

  it('downloads nothing that exists', async () => {
    await using lab = await HubLab.start();
    await lab.pull();
    const before = lab.hub.requests.length;
    expect(await lab.pull()).toMatchObject({ commit: COMMIT });
    expect(lab.hub.requests.slice(before).map(({ url }) => url)).toEqual([
      '/api/models/owner/model/tree/main?recursive=true',
    ]);
  });

  it('repairs a modified file', async () => {
    await using lab = await HubLab.start();
    await lab.pull();
    writeFileSync(join(lab.home, 'tokenizer.json'), TOKENIZER.replace('a', 'b'));
    await lab.pull();
    expect(lab.read('tokenizer.json').toString()).toBe(TOKENIZER);
  });

  it('rewrites a damaged manifest', async () => {
    await using lab = await HubLab.start();
    const manifest = await lab.pull();
    writeFileSync(join(lab.home, 'mnemis-model.json'), '{');
    expect(await lab.pull()).toEqual({ ...manifest, commit: null });
    expect(lab.hub.requestsFor(MODEL)).toHaveLength(2);
  });

  it('adds another variant to existing files, and deletes files of an older revision', async () => {
    await using lab = await HubLab.start();
    lab.hub.put('onnx/small.onnx', 'small', { large: true });
    await lab.pull();
    const both = await lab.pull({ source: { ...SOURCE, files: ['tokenizer.json', 'onnx/small.onnx'] } });
    expect(both.files.map(({ path }) => path)).toEqual([MODEL, 'tokenizer.json', 'onnx/small.onnx']);
    const source = { ...SOURCE, revision: 'v2', files: ['tokenizer.json', MODEL] };
    expect((await lab.pull({ source })).files).toHaveLength(2);
    expect(lab.files()).toEqual(WHOLE);
  });

  it('reads a tree of many pages', async () => {
    await using lab = await HubLab.start();
    lab.hub.pageSize = 1;
    await lab.pull();
    expect(lab.files()).toEqual(WHOLE);
  });

  it('accepts empty files', async () => {
    await using lab = await HubLab.start();
    lab.hub.put('empty.json', '').put('empty.bin', '', { large: true });
    await lab.pull({ source: { ...SOURCE, files: ['empty.json', 'empty.bin'] } });
    expect(lab.files()).toEqual(['empty.bin', 'empty.json', 'mnemis-model.json']);
  });
});

describe('a pull that is resumed', () => {
  it('requests only the remaining bytes', async () => {
    await using lab = await HubLab.start();
    leavePart(lab, WEIGHTS.subarray(0, HALF));
    await lab.pull();
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.hub.requestsFor(MODEL).map(({ headers }) => headers.range)).toEqual(
      Array(2).fill(`bytes=${HALF}-`),
    );
  });

  it('restarts if the server ignores ranges', async () => {
    await using lab = await HubLab.start();
    lab.hub.ranges = false;
    leavePart(lab, WEIGHTS.subarray(0, HALF));
    await lab.pull();
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });

  it.each([
    ['is of something else', Buffer.alloc(HALF, 7)],
    ['has every byte and one of them wrong', Buffer.from(WEIGHTS).fill(1, 0, 1).fill(2, 9, 10)],
    ['is longer than the file', Buffer.alloc(WEIGHTS.length + 1)],
  ])('discards a partial file that %s', async (_what, content) => {
    await using lab = await HubLab.start();
    leavePart(lab, content);
    await lab.pull();
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(WHOLE);
  });

  it('restarts if the file changed on the hub in between', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'cut', after: HALF });
    const changed = Buffer.alloc(WEIGHTS.length, 3);
    lab.hub.onFile = (path) => {
      if (path === MODEL && lab.hub.requestsFor(MODEL).length > 2)
        lab.hub.put(MODEL, changed, { large: true });
    };
    await expect(lab.pull()).rejects.toEqual(says('model-corrupt', /onnx\/model\.onnx .*checksum/));
    expect(lab.hub.requestsFor(MODEL).at(-1)?.headers['if-range']).toMatch(/^"/);
    await lab.pull();
    expect(lab.read(MODEL).equals(changed)).toBe(true);
  });
});

it('a pull of another variant in between keeps partial files until the revision changes', async () => {
  await using lab = await HubLab.start();
  lab.hub.put('onnx/small.onnx', 'small', { large: true });
  const part = leavePart(lab, WEIGHTS.subarray(0, HALF));
  const small = { ...SOURCE, files: ['tokenizer.json', 'onnx/small.onnx'] };
  await lab.pull({ source: small });
  expect(existsSync(part)).toBe(true);
  await lab.pull();
  expect(lab.hub.requestsFor(MODEL)[0]?.headers.range).toBe(`bytes=${HALF}-`);
  expect(existsSync(join(lab.home, '.parts'))).toBe(false);
  leavePart(lab, WEIGHTS.subarray(0, HALF));
  await lab.pull({ source: { ...small, revision: 'v2' } });
  expect(existsSync(join(lab.home, '.parts'))).toBe(false);
});

describe('a pull that meets a fault', () => {
  it('reports each retried file once', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail('tree', { kind: 'status', status: 502 });
    lab.hub.fail(MODEL, { kind: 'status', status: 503 }, { kind: 'status', status: 500 });
    const told: string[] = [];
    await lab.pull({ onRetry: ({ what }) => void told.push(what) });
    expect(told).toEqual([
      'The hub failed on owner/model at main (HTTP 502)',
      `The hub failed on ${MODEL} (HTTP 503)`,
    ]);
  });

  it('closes a connection whose body it does not need', async () => {
    await using lab = await HubLab.start();
    let dropped = false;
    const cancel = () => {
      dropped = true;
    };
    const origin = new HubOrigin(SOURCE, {
      baseUrl: lab.hub.url,
      fetch: async (url, init) => {
        if (!String(url).includes('/resolve/')) return fetch(url, init);
        init?.signal?.addEventListener('abort', cancel);
        return new Response(new ReadableStream(), { status: 206 });
      },
    });
    await expect(lab.pull({ origin })).rejects.toEqual(says('hub-refusal', /without its offset/));
    expect(dropped).toBe(true);
  });

  it.each([
    ['a cut connection', [{ kind: 'cut' as const, after: HALF }]],
    ['a body that ends early', [{ kind: 'end-early' as const, after: HALF }]],
    ['errors 500 and 503', [500, 503].map((status) => ({ kind: 'status' as const, status }))],
    ['a refusal for now', [{ kind: 'status' as const, status: 429, retryAfter: 1 }]],
  ])('completes after %s', async (_what, faults) => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, ...faults);
    await lab.pull();
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(WHOLE);
  });

  it('completes after more cuts than it retries, each of which brought something', async () => {
    await using lab = await HubLab.start();
    // A cut loses what its reader had not taken yet: each brings a megabyte in any case.
    const large = Buffer.concat(Array(4).fill(WEIGHTS));
    lab.hub.put(MODEL, large, { large: true });
    lab.hub.fail(MODEL, ...Array(4).fill({ kind: 'cut', after: 2_500_000 }));
    await lab.pull();
    expect(lab.read(MODEL).equals(large)).toBe(true);
    expect(lab.hub.requestsFor(MODEL).length).toBeGreaterThan(4);
  });

  it('continues after a hang', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: HALF });
    lab.hub.fail('tree', { kind: 'status', status: 502 });
    await lab.pull({ timing: { stallAfter: 300, firstPause: 1 } });
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(Number(/\d+/.exec(lab.hub.requestsFor(MODEL).at(-1)!.headers.range!))).toBeGreaterThan(0);
  });

  it('tolerates a slow server while data arrives', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'drip', pause: 100 });
    await lab.pull({ timing: { stallAfter: 500, retries: 0 } });
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.hub.requestsFor(MODEL)).toHaveLength(2);
  });

  it('gives up after the retries, and keeps the partial file', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'cut', after: HALF }, ...Array(9).fill({ kind: 'status', status: 500 }));
    await expect(lab.pull()).rejects.toEqual(says('hub-unavailable', /HTTP 500.*kept.*same command/));
    expect(lab.files().filter((path) => path !== 'tokenizer.json')).toEqual([
      expect.stringMatching(/^\.parts\/[0-9a-f]{64}$/),
    ]);
    lab.hub.faults.clear();
    await lab.pull();
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });

  it.each([
    ['a file of another content', { kind: 'corrupt' as const }, /checksum/],
    ['a file that is too long', { kind: 'longer' as const }, /size/],
  ])('rejects %s and keeps none of it', async (_what, fault, finding) => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, fault);
    await expect(lab.pull()).rejects.toEqual(says('model-corrupt', finding));
    expect(lab.files()).toEqual(['tokenizer.json']);
    lab.hub.fail('tokenizer.json', fault);
    lab.hub.put('tokenizer.json', '{"other":1}');
    await expect(lab.pull()).rejects.toEqual(code('model-corrupt'));
    expect(lab.read('tokenizer.json').toString()).toBe(TOKENIZER);
  });

  it.each([
    ['a file that the hub does not have', { ...SOURCE, files: ['nothing.onnx'] }, 'nothing.onnx'],
    ['a repository that it does not have', { ...SOURCE, repository: 'owner/other' }, 'owner/other'],
  ])('names %s', async (_what, source, name) => {
    await using lab = await HubLab.start();
    await expect(lab.pull({ source })).rejects.toEqual(
      says('hub-refusal', new RegExp(`not have.* ?${name}`)),
    );
  });

  it('ends a loop of redirects', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'loop' });
    await expect(lab.pull()).rejects.toEqual(says('hub-refusal', /without end/));
    expect(lab.hub.requestsFor(MODEL).length).toBeLessThan(12);
  });

  it.each(['not JSON', '{"error":"x"}', '[{"type":"file","path":"tokenizer.json"}]'])(
    'rejects an invalid tree: %s',
    async (text) => {
      await using lab = await HubLab.start();
      const origin = new HubOrigin(SOURCE, {
        baseUrl: lab.hub.url,
        fetch: async () => new Response(text, { status: 200 }),
      });
      await expect(lab.pull({ origin })).rejects.toEqual(code('hub-refusal'));
    },
  );

  it('reports an unreachable server', async () => {
    const hub = await HubServer.start();
    const { url } = hub;
    await hub[Symbol.asyncDispose]();
    await using lab = await HubLab.start();
    const origin = new HubOrigin(SOURCE, { baseUrl: url });
    await expect(lab.pull({ origin })).rejects.toEqual(
      says('hub-unavailable', /could not be reached.*ECONNREFUSED/),
    );
  });

  it('fails before downloading if the disk is too small', async () => {
    await using lab = await HubLab.start();
    const tree = [{ type: 'file', path: 'huge.bin', lfs: { oid: '0'.repeat(64), size: 2 ** 52 } }];
    const origin = new HubOrigin(
      { ...SOURCE, files: ['huge.bin'] },
      { baseUrl: lab.hub.url, fetch: async () => Response.json(tree) },
    );
    await expect(lab.pull({ origin })).rejects.toEqual(says('disk-full', /nothing new was fetched/));
  });

  it.skipIf(process.platform !== 'linux')(
    'reports a folder that cannot be written (Linux: /proc)',
    async () => {
      await using lab = await HubLab.start();
      writeFileSync(lab.home, 'a file where the folder should be');
      await expect(lab.pull()).rejects.toEqual(says('model-files', /tiny cannot be used/));
      expect(readFileSync(lab.home, 'utf8')).toBe('a file where the folder should be');
      for (const folder of ['/proc/nowhere', '/dev/null/models'])
        await expect(lab.pull({ folder })).rejects.toEqual(code('model-files'));
    },
  );
});

describe('a gated model', () => {
  it.each([401, 403])('reports what to do (HTTP %d)', async (status) => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'status', status });
    await expect(lab.pull()).rejects.toEqual(says('model-access', /licence.*HF_TOKEN/));
  });

  it('is downloaded with a token, which is sent only to the hub and never stored', async () => {
    const storage = await HubServer.start();
    await using lab = await HubLab.start();
    storage.put(MODEL, WEIGHTS);
    lab.hub.token = 'a-secret-token';
    lab.hub.storage = storage.url;
    await expect(lab.pull()).rejects.toEqual(code('model-access'));
    const manifest = await lab.pull({ token: 'a-secret-token' });
    expect(storage.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(manifest.commit).toBe(COMMIT);
    for (const path of lab.files()) expect(lab.read(path).includes('a-secret-token')).toBe(false);
    const wrong = await lab.pull({ token: 'wrong-token' }).catch((error: unknown) => error);
    expect(wrong).toEqual(code('model-access'));
    expect(String(wrong)).not.toContain('wrong-token');
    await storage[Symbol.asyncDispose]();
  });
});

describe('an untrusted hub', () => {
  /** Answers every request the same way; records the requests. */
  function answering(baseUrl: string, reply: () => Response) {
    const sent: Record<string, string>[] = [];
    const answer = async (_url: unknown, init?: { headers?: unknown }) => {
      sent.push(init?.headers as Record<string, string>);
      return reply();
    };
    const origin = new HubOrigin(SOURCE, { baseUrl, token: 'a-secret-token', fetch: answer as typeof fetch });
    return { sent, list: () => origin.list(new AbortController().signal) };
  }

  it.each(['http://hub.example/x', 'file:///etc/passwd', 'http://['])(
    'does not redirect to %s',
    async (location) => {
      const reply = () => new Response(null, { status: 302, headers: { location } });
      const { sent, list } = answering('https://hub.example', reply);
      await expect(list()).rejects.toEqual(code('hub-refusal'));
      expect(sent).toHaveLength(1);
    },
  );

  it('gets no token without encryption, nor does another host', async () => {
    const plain = answering('http://hub.example', () => Response.json([]));
    await expect(plain.list()).rejects.toEqual(code('hub-refusal'));
    expect(plain.sent.map(({ authorization }) => authorization)).toEqual([undefined]);
    const headers = { location: 'https://elsewhere.example/' };
    const moved = answering('https://hub.example', () => new Response(null, { status: 307, headers }));
    await expect(moved.list()).rejects.toEqual(says('hub-refusal', /without end/));
    const [first, ...others] = moved.sent.map(({ authorization }) => authorization);
    expect(first).toBe('Bearer a-secret-token');
    expect(others.every((value) => value === undefined)).toBe(true);
  });

  it('cannot exhaust memory with a list', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }));
    await expect(answering('https://hub.example', endless).list()).rejects.toEqual(code('hub-refusal'));
  });
});

describe('paths that could escape the folder', () => {
  it.each([
    '../escape',
    'a/../../b',
    '/etc/passwd',
    'a\\b',
    'C:/x',
    'a//b',
    './a',
    '',
    '.parts/x',
    'a/..',
    'a.',
    'x\0y',
  ])('rejects %j', async (path) => {
    await using lab = await HubLab.start();
    for (const source of [
      { ...SOURCE, files: [path] },
      { ...SOURCE, name: path },
      { ...SOURCE, revision: path },
    ])
      expect(() => new HubOrigin(source, { baseUrl: lab.hub.url })).toThrow(code('invalid-input'));
    expect(lab.hub.requests).toEqual([]);
  });

  it.each(['a-secret\ntoken', 'a-secret-tökén', ''])(
    'rejects a token that is invalid in a header',
    (token) => {
      const baseUrl = 'https://hub.example';
      expect(() => new HubOrigin(SOURCE, { baseUrl, token })).toThrow(code('invalid-input'));
      expect(() => new HubOrigin(SOURCE, { baseUrl, token })).not.toThrow('a-secret');
    },
  );

  it.each([
    'ftp://x',
    'nothing',
    'http://user:pass@host',
    'file:///etc',
    'https://host/?token=x',
    'https://host/#x',
  ])('rejects the hub %s', (baseUrl) => {
    expect(() => new HubOrigin(SOURCE, { baseUrl })).toThrow(code('invalid-input'));
  });
});

describe('an unreachable hub', () => {
  it('is tried twice for the list, then the error explains how to work offline', async () => {
    const lab = await HubLab.start();
    const baseUrl = lab.hub.url;
    await lab.hub[Symbol.asyncDispose]();
    let attempts = 0;
    const counting: typeof fetch = (...request) => {
      attempts += 1;
      return fetch(...request);
    };
    const origin = new HubOrigin(SOURCE, { baseUrl, fetch: counting });
    const retried: boolean[] = [];
    const pulling = pullModel({
      source: SOURCE,
      folder: lab.folder,
      origin,
      onRetry: ({ unreachable }) => void retried.push(unreachable),
      timing: { firstPause: 1, retries: 5 },
    });
    await expect(pulling).rejects.toEqual(
      says('hub-unavailable', /could not be reached .* \(ECONNREFUSED\)\. .* --mirror FOLDER\.$/),
    );
    expect([attempts, retried]).toEqual([2, [true]]);
    expect(existsSync(lab.home)).toBe(false);
    rmSync(lab.folder, { recursive: true });
  });

  it('gets the full number of retries if it answers with errors', async () => {
    await using lab = await HubLab.start();
    for (let count = 0; count < 3; count += 1) lab.hub.fail('tree', { kind: 'status', status: 503 });
    await expect(lab.pull()).rejects.toEqual(says('hub-unavailable', /resumes there\.$/));
    expect(lab.hub.requests).toHaveLength(3);
    expect(existsSync(lab.home)).toBe(false);
  });
});

describe('a pull that fails', () => {
  it('keeps the partial file', async () => {
    await using lab = await HubLab.start();
    for (let count = 0; count < 9; count += 1) lab.hub.fail(MODEL, { kind: 'status', status: 404 });
    leavePart(lab, WEIGHTS.subarray(0, HALF));
    await expect(lab.pull()).rejects.toEqual(code('hub-refusal'));
    expect(lab.files().some((path) => path.startsWith('.parts'))).toBe(true);
  });

  it('does not delete the folder of a waiting pull', async () => {
    await using lab = await HubLab.start();
    const { opened: othersWait, open: onWait } = gate();
    const failing = lab.pull({
      origin: {
        commit: null,
        list: async () => {
          await othersWait;
          throw new HubRefusalError('It is not there');
        },
        read: () => Promise.reject(new HubRefusalError('It is not there')),
      },
    });
    failing.catch(() => undefined);
    while (!lab.has('.pulling')) await new Promise((resolve) => setTimeout(resolve, 5));
    const others = Array.from({ length: 3 }, () => lab.pull({ onWait }));
    await expect(failing).rejects.toEqual(code('hub-refusal'));
    expect(await Promise.all(others)).toHaveLength(3);
    expect(lab.files()).toEqual(WHOLE);
  });
});
