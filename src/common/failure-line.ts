/**
 * A failure for the log, on one line. Drivers quote the document they failed on and parsers the text, and those are
 * somebody's messages and numbers: what stands in quotes or braces is left out.
 */
export function failureLine(failure: unknown): string {
  const { name, message } = failure instanceof Error ? failure : { name: 'Thrown', message: String(failure) };
  return `${name}: ${message}`
    .replace(/\{.*\}/gs, '{…}')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\s+/g, ' ');
}

/** The same, and where it came from. */
export function failureStory(failure: unknown): string {
  const stack = failure instanceof Error ? (failure.stack ?? '') : '';
  const frames = stack.indexOf('\n    at ');
  return failureLine(failure) + (frames < 0 ? '' : stack.slice(frames));
}
