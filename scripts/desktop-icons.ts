import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../test/e2e/chromium.ts';

/**
 * Draws the desktop app's icons from `renderer/public/icon.svg` into `desktop/`, where they are committed:
 * `node --import tsx scripts/desktop-icons.ts`. Needs Chromium.
 */
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'desktop');
const LINUX_SIZES = [16, 32, 48, 64, 128, 256, 512];
const WINDOWS_SIZES = [16, 24, 32, 48, 64, 256];
/** Types of entries in an .icns file that hold a PNG. */
const APPLE_TYPES: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
];
/** Apple's grid leaves a tenth of the width free on each side. */
const APPLE_PADDING = 0.1;

type Draw = (size: number, more?: { padding?: number; svg?: string }) => Promise<Buffer>;

/** The menu bar of macOS takes the shape alone, in black, and colours it itself. */
function templateOf(svg: string): string {
  return svg
    .replace(/<rect[^>]*>/, '')
    .replaceAll('#fff', '#000')
    .replace('0 0 64 64', '8 6 48 52');
}

async function drawAll(svg: string, draw: Draw): Promise<void> {
  await mkdir(join(FOLDER, 'icons'), { recursive: true });
  const write = (name: string, data: Buffer) => writeFile(join(FOLDER, name), data);
  for (const size of LINUX_SIZES) await write(`icons/${size}x${size}.png`, await draw(size));
  const images = [];
  for (const size of WINDOWS_SIZES) images.push({ size, png: await draw(size) });
  await write('icon.ico', icoOf(images));
  const entries = [];
  for (const [type, size] of APPLE_TYPES)
    entries.push({ type, png: await draw(size, { padding: APPLE_PADDING }) });
  await write('icon.icns', icnsOf(entries));
  for (const [suffix, scale] of [['', 1] as const, ['@2x', 2] as const]) {
    await write(`tray${suffix}.png`, await draw(16 * scale));
    await write(`trayTemplate${suffix}.png`, await draw(16 * scale, { svg: templateOf(svg) }));
  }
}

/** A header, a directory of 16 bytes an image, the images as PNG. */
function icoOf(images: readonly { readonly size: number; readonly png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let at = head.length;
  for (const [index, { size, png }] of images.entries()) {
    const entry = 6 + 16 * index;
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(png.length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += png.length;
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}

/** `icns`, the length of all, then for each entry its type, its length and a PNG; numbers are big-endian. */
function icnsOf(entries: readonly { readonly type: string; readonly png: Buffer }[]): Buffer {
  const parts = entries.map(({ type, png }) => headed(type, png));
  return headed('icns', Buffer.concat(parts));
}

function headed(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'ascii');
  head.writeUInt32BE(data.length + 8, 4);
  return Buffer.concat([head, data]);
}

const svg = await readFile(join(ROOT, 'renderer/public/icon.svg'), 'utf8');
const browser = await launchChromium();
try {
  const page = await browser.newPage();
  await drawAll(svg, async (size, { padding = 0, svg: source = svg } = {}) => {
    await page.setViewportSize({ width: size, height: size });
    const inner = Math.round(size * (1 - 2 * padding));
    const image = `data:image/svg+xml;base64,${Buffer.from(source).toString('base64')}`;
    await page.setContent(
      `<style>html, body { height: 100%; margin: 0; background: transparent; display: grid; place-items: center }</style>
       <img src="${image}" width="${inner}" height="${inner}">`,
      { waitUntil: 'load' },
    );
    return page.screenshot({ omitBackground: true });
  });
} finally {
  await browser.close();
}
