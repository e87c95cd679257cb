const NAME = 'x-file-name';

/**
 * The files that the system had the desktop app open, by the ids of its address (`/import/ID,ID`); those that are gone
 * are left out. Their bytes come from the main process (`main/desktop/opened-files.ts`), which keeps their paths.
 */
export async function readOpenedFiles(
  ids: string,
  read: (address: string) => Promise<Response> = fetch,
): Promise<File[]> {
  const files = await Promise.all(
    ids.split(',').map(async (id) => {
      const reply = await read(`/opened/${encodeURIComponent(id)}`);
      const name = reply.headers.get(NAME);
      return reply.ok && name !== null ? [new File([await reply.blob()], decodeURIComponent(name))] : [];
    }),
  );
  return files.flat();
}
