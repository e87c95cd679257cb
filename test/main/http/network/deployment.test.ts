import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { CONFIG_KEYS, environmentName } from '../../../../main/config.ts';
import {
  DEFAULT_SERVE_PORT,
  SERVE_SETTINGS,
  serveVariable,
} from '../../../../main/http/network/serve-flags.ts';
import { NETWORK_LIMITS } from '../../../../main/http/server-limits.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { problemOf } from '../../../docs/shell-lines.ts';
import { ROOT } from '../../cli/fake-terminal.ts';
import { ServeLab } from './serve-lab.ts';

const KNOWN_VARIABLES = new Set([
  ...CONFIG_KEYS.map(environmentName),
  ...SERVE_SETTINGS.map(serveVariable),
  ...['NODE_ENV', 'PATH', 'XDG_DATA_HOME'],
]);
const PORT = String(DEFAULT_SERVE_PORT);

interface Instruction {
  readonly name: string;
  readonly text: string;
  /** Position of its stage, from 0. */
  readonly stage: number;
}

/** The instructions of a Dockerfile, each in one line; comments are left out. */
function instructionsOf(text: string): readonly Instruction[] {
  let stage = -1;
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') stage += 1;
    return { name, text: rest, stage };
  });
}

const words = z.array(z.string().min(1));
const health = z.strictObject({
  test: words,
  interval: z.string().optional(),
  timeout: z.string().optional(),
  retries: z.number().optional(),
  start_period: z.string().optional(),
});
const service = z.strictObject({
  image: z.string().optional(),
  build: z.string().optional(),
  command: words.optional(),
  environment: z.record(z.string(), z.string()),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  ports: words.optional(),
  volumes: words.default([]),
  healthcheck: health,
  read_only: z.boolean().optional(),
  tmpfs: words.optional(),
  cap_drop: words.optional(),
  security_opt: words.optional(),
  stop_grace_period: z.string().optional(),
  restart: z.literal('unless-stopped'),
});
const composeSchema = z.strictObject({
  services: z.strictObject({ database: service, mnemis: service }),
  volumes: z.record(z.string(), z.null()),
});

const dockerfile = instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const last = Math.max(...dockerfile.map(({ stage }) => stage));
const inImage = (name: string) =>
  dockerfile.filter((each) => each.stage === last && each.name === name).map(({ text }) => text);
const environment = Object.fromEntries(
  inImage('ENV').flatMap((text) => text.split(/\s+/).map((pair) => pair.split('=') as [string, string])),
);
const compose = composeSchema.parse(parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')));

/** The addresses that a command asks. */
const addressesIn = (text: string) => [...text.matchAll(/http:\/\/127\.0\.0\.1:(\d+)(\/[a-z]*)/g)];

describe('the Dockerfile', () => {
  it('has instructions that a reader of it knows', () => {
    const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ARG', 'ENV', 'USER', 'VOLUME', 'EXPOSE'];
    for (const { name } of dockerfile) expect([...known, 'HEALTHCHECK', 'ENTRYPOINT', 'CMD']).toContain(name);
    expect(last).toBe(1);
  });

  it('copies files that exist, and builds with what the package has', () => {
    const copied = dockerfile.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'));
    for (const { text } of copied)
      for (const file of text.split(/\s+/).slice(0, -1))
        expect(existsSync(join(ROOT, file)), file).toBe(true);
    const [from] = inImage('COPY');
    const [stage] = dockerfile.map(({ text }) => / AS (\w+)$/.exec(text)?.[1]);
    expect(from).toContain(`--from=${stage} `);
    // `npm pack` builds the package by this script.
    expect(dockerfile.some(({ text }) => text.includes('mkdir /package && npm pack '))).toBe(true);
    expect(manifest.scripts.prepack).toContain('npm run -s build');
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of ['.git', 'node_modules', '.env', '*.db']) expect(ignored).toContain(name);
  });

  it('runs a version of Node.js that the package supports', () => {
    const [, least] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];
    for (const { text } of dockerfile.filter(({ name }) => name === 'FROM'))
      expect(Number(/^node:(\d+)-/.exec(text)?.[1])).toBeGreaterThanOrEqual(Number(least));
  });

  it('runs as a user without rights, who owns the folder of the data', () => {
    expect(inImage('USER')).toEqual(['node']);
    expect(inImage('VOLUME')).toEqual(['/data']);
    expect(inImage('RUN').join(' ')).toContain('chown node:node /data');
    const names = dockerfile.filter(({ stage }) => stage === last).map(({ name }) => name);
    expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));
  });

  it('sets variables that are read, and one port', () => {
    for (const name of Object.keys(environment)) expect(KNOWN_VARIABLES).toContain(name);
    expect(environment).toMatchObject({ MNEMIS_SERVE_HOST: '0.0.0.0', MNEMIS_SERVE_PORT: PORT });
    expect(environment.XDG_DATA_HOME).toBe('/data');
    expect(inImage('EXPOSE')).toEqual([PORT]);
  });

  it('starts a command that exists', async () => {
    const [program] = words.parse(JSON.parse(inImage('ENTRYPOINT')[0]!));
    expect(Object.keys(manifest.bin)).toContain(program);
    const argv = words.parse(JSON.parse(inImage('CMD')[0]!));
    expect(await problemOf([program!, ...argv])).toBeNull();
  });

  it('asks for its health at an address that answers', async () => {
    const [[, port, path] = []] = addressesIn(inImage('HEALTHCHECK')[0]!);
    expect(port).toBe(PORT);
    await using lab = await ServeLab.open();
    expect((await lab.fetch(path!)).status).toBe(200);
  });
});

describe('the compose file', () => {
  const { database, mnemis } = compose.services;

  it('starts the image of the Dockerfile with a command that exists', async () => {
    expect(mnemis.build).toBe('.');
    expect(await problemOf(['mnemis', ...mnemis.command!])).toBeNull();
    expect(database.image).toMatch(/^postgres:\d+/);
  });

  it('sets variables that are read, with the database of the other service', () => {
    for (const name of Object.keys(mnemis.environment)) expect(KNOWN_VARIABLES).toContain(name);
    const url = new URL(mnemis.environment.MNEMIS_PATH!.replace(/\$\{POSTGRES_PASSWORD\}/, 'secret'));
    expect(url).toMatchObject({
      protocol: 'postgres:',
      hostname: 'database',
      password: 'secret',
      port: '5432',
    });
    expect(url.username).toBe(database.environment.POSTGRES_USER);
    expect(url.pathname.slice(1)).toBe(database.environment.POSTGRES_DB);
    // There is no password that everybody knows: without one, nothing starts.
    expect(database.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(Object.keys(mnemis.depends_on!)).toEqual(['database']);
  });

  it('is reached from this machine alone, where the proxy is', () => {
    expect(mnemis.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(database.ports).toBeUndefined();
  });

  it('keeps the data in volumes, at the places that the images have', () => {
    const kept = [...database.volumes, ...mnemis.volumes].map((volume) => volume.split(':'));
    expect(kept.map(([name]) => name).sort()).toEqual(Object.keys(compose.volumes).sort());
    // Memory and tokens are in the database: the server has nothing to keep, and any number of it may run.
    expect(mnemis.volumes).toEqual([]);
    expect(mnemis.tmpfs!.map((place) => place.split(':')[0])).toEqual(
      expect.arrayContaining(inImage('VOLUME')),
    );
  });

  it('asks for readiness at an address that answers', async () => {
    const [[, port, path] = []] = addressesIn(mnemis.healthcheck.test.join(' '));
    expect([port, path]).toEqual([PORT, '/readyz']);
    await using lab = await ServeLab.open();
    expect((await lab.fetch(path!)).status).toBe(200);
  });

  it('gives the server the time that it takes to stop, and no rights', () => {
    const { MNEMIS_SERVE_DRAIN_SECONDS: drain, MNEMIS_SERVE_GRACE_SECONDS: grace } = mnemis.environment;
    expect(Number.parseInt(mnemis.stop_grace_period!, 10)).toBeGreaterThan(Number(drain) + Number(grace));
    expect(Number(drain) * 1_000).toBe(NETWORK_LIMITS.drainMilliseconds);
    expect(mnemis).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(mnemis.security_opt).toEqual(['no-new-privileges:true']);
  });
});
