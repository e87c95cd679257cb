/** Of the longest side of an image that is sent, in pixels: models scale larger ones down themselves. */
const MOST_PIXELS = 2_000;
/** Of its file: models refuse 5 MB. */
const MOST_BYTES = 4_000_000;
const QUALITY = 0.85;

/** Those that the engine takes as they are. */
const KEPT_TYPE = /^image\/(?:png|jpeg|gif|webp)$/;

/**
 * An image as models take it: one that is larger, or of another format, is drawn again, upright and without what the
 * camera noted beside it, such as the place. It keeps its name. Null if the browser cannot read it.
 */
export async function fitImage(file: File): Promise<File | null> {
  const drawn = await createImageBitmap(file).catch(() => null);
  if (drawn === null) return null;
  try {
    const { width, height } = drawn;
    const scale = Math.min(1, MOST_PIXELS / Math.max(width, height));
    if (scale === 1 && file.size <= MOST_BYTES && KEPT_TYPE.test(file.type)) return file;
    const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
    const canvas = new OffscreenCanvas(w, h);
    const context = canvas.getContext('2d');
    if (context === null) return null;
    context.imageSmoothingQuality = 'high';
    context.drawImage(drawn, 0, 0, w, h);
    const blob = await encoded(canvas, context, file.type === 'image/jpeg');
    return new File([blob], file.name, { type: blob.type, lastModified: file.lastModified });
  } finally {
    drawn.close();
  }
}

/** As WebP, which may be transparent; as JPEG where it was one, or the browser writes no WebP. */
async function encoded(
  canvas: OffscreenCanvas,
  context: OffscreenCanvasRenderingContext2D,
  isJpeg: boolean,
): Promise<Blob> {
  if (!isJpeg) {
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: QUALITY });
    if (blob.type === 'image/webp') return blob;
    context.globalCompositeOperation = 'destination-over';
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
}
