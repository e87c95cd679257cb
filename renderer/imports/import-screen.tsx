import { Button } from '../kit/button.tsx';
import { Page } from '../kit/page.tsx';
import { text } from '../strings/text.ts';
import { DropArea } from './drop-area.tsx';
import { ExportGuide } from './export-guide.tsx';
import { FileCard } from './file-card.tsx';
import { JobList } from './job-list.tsx';
import { useUploads } from './upload-store.ts';

/** Brings files into memory: choose, look, import; and the jobs that do it. */
export function ImportScreen() {
  const files = useUploads((state) => state.files);
  const wantAll = useUploads((state) => state.wantAll);
  return (
    <Page title={text.imports.title} lead={text.imports.lead}>
      <div className="stack gap-5">
        <DropArea isSmall={files.length > 0} />
        {files.length > 0 && (
          <section className="grid gap-4" aria-label={text.imports.files}>
            {files.length > 1 && (
              <div className="line wrap apart gap-3">
                <span className="soft text-14">{text.imports.allNote(files.length)}</span>
                <Button kind="primary" disabled={files.every(({ isWanted }) => isWanted)} onClick={wantAll}>
                  {text.imports.startAll(files.length)}
                </Button>
              </div>
            )}
            {files.map((file) => (
              <FileCard key={file.id} file={file} />
            ))}
          </section>
        )}
        {files.length === 0 && <ExportGuide />}
        <JobList />
      </div>
    </Page>
  );
}
