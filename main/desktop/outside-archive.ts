/**
 * In an installed app, the file beside the archive in place of the one inside: the engine's process and the page are
 * read as plain files (electron-builder.yml, `asarUnpack`). Elsewhere the path itself.
 */
export function outsideArchive(path: string): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked');
}
