/** A small PDF of text pages, written by hand; each page is a list of lines. An empty list is a page without text. */
export function pdfFile(pages: readonly (readonly string[])[], { encrypt = '' } = {}): Buffer {
  const objects: string[] = [];
  const pageIds = pages.map((_, index) => 4 + index * 2);
  objects[1] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[2] = `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`;
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
  for (const [index, lines] of pages.entries()) {
    const id = pageIds[index]!;
    objects[id] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents ${id + 1} 0 R >>`;
    const content = [
      'BT /F1 12 Tf 14 TL 50 750 Td',
      ...lines.map((line) => `(${escaped(line)}) Tj T*`),
      'ET',
    ].join('\n');
    objects[id + 1] = `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
  }
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [id, body] of objects.entries()) {
    if (body === undefined) continue;
    offsets[id] = text.length;
    text += `${id} 0 obj\n${body}\nendobj\n`;
  }
  const start = text.length;
  text += `xref\n0 ${objects.length}\n0000000000 65535 f \n`;
  for (let id = 1; id < objects.length; id++) text += `${String(offsets[id]).padStart(10, '0')} 00000 n \n`;
  text += `trailer\n<< /Size ${objects.length} /Root 1 0 R ${encrypt} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

const escaped = (line: string) => line.replace(/[\\()]/g, '\\$&');

/** The part of a trailer that says a password is needed: keys that no password fits. */
export const ENCRYPTED = `/ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`;
