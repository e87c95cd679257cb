import { signUpdate, updateNoticeSchema } from '../main/desktop/update-signature.ts';

/** A file, as electron-builder writes it into `latest*.yml`. */
const FILE = /^ +- url: (.+)\n +sha512: (.+)\n +size: (\d+)$/gm;

/**
 * What electron-builder wrote for the update server (`latest*.yml`), with a signature at its end. An earlier signature is
 * replaced.
 *
 * @param key Ed25519 private key (PKCS #8, PEM).
 * @throws ZodError for a text that names no version or no files.
 */
export function signedNotice(text: string, key: string): string {
  const plain = text.replace(/^signature: .*\n?/m, '').trimEnd();
  const files = Array.from(plain.matchAll(FILE), ([, url, sha512, size]) => ({
    url,
    sha512,
    size: Number(size),
  }));
  const notice = updateNoticeSchema.parse({ version: /^version: (.+)$/m.exec(plain)?.[1], files });
  return `${plain}\nsignature: ${signUpdate(notice, key)}\n`;
}
