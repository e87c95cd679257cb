import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { z } from 'zod';

/**
 * What the update server says of the newest version: `latest*.yml` of electron-builder, with the signature that
 * `npm run dist` adds. Lenient, because electron-builder adds fields.
 */
export const updateNoticeSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/),
  files: z
    .array(
      z.object({
        url: z.string().min(1).max(300),
        sha512: z.string().length(88),
        size: z.number().int().positive(),
      }),
    )
    .min(1)
    .max(20),
  signature: z.string().max(200).optional(),
});
export type UpdateNotice = z.output<typeof updateNoticeSchema>;

/** What is signed: the version and each file with its hash, so that neither can be exchanged. */
function signedText({ version, files }: UpdateNotice): Buffer {
  const parts = files.map(({ url, sha512, size }) => [url, sha512, size]);
  return Buffer.from(JSON.stringify(['mnemis-update', version, parts]));
}

/** @param key Ed25519 private key (PKCS #8, PEM). @returns base64 */
export function signUpdate(notice: UpdateNotice, key: string): string {
  return sign(null, signedText(notice), createPrivateKey(key)).toString('base64');
}

/** The part of the key that the app gets (SPKI, DER, base64). */
export function publicPartOf(key: string): string {
  return createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Whether the holder of the private key has signed this version and these files. */
export function isSigned(notice: UpdateNotice, publicPart: string): boolean {
  if (notice.signature === undefined) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicPart, 'base64'), type: 'spki', format: 'der' });
    if (key.asymmetricKeyType !== 'ed25519') return false; // a weaker kind was not meant
    return verify(null, signedText(notice), key, Buffer.from(notice.signature, 'base64'));
  } catch {
    return false; // no key
  }
}
