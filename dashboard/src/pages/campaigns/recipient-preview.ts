/** The first recipients of a batch, and how many more it has; the API says the latter in English. */
export function readPreview(preview: string): { readonly first: string; readonly more: number } {
  const [, first, more] = /^(.*) and (\d+) more$/s.exec(preview) ?? [];
  return first === undefined ? { first: preview, more: 0 } : { first, more: Number(more) };
}
