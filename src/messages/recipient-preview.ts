export const MAX_PREVIEW_RECIPIENTS = 3;

/** `+447700900123, +447700900124 and 5 more` */
export function recipientPreview(first: readonly string[], count: number): string {
  const preview = first.slice(0, MAX_PREVIEW_RECIPIENTS).join(', ');
  const more = count - Math.min(count, MAX_PREVIEW_RECIPIENTS);
  return more > 0 ? `${preview} and ${more} more` : preview;
}
