/**
 * Formats an error on one line for the log. Text in quotes or braces is redacted: drivers and parsers quote documents and
 * input, which hold message texts and phone numbers.
 */
export function formatError(failure: unknown): string {
  const { name, message } =
    failure instanceof Error ? failure : { name: 'NonError', message: String(failure) };
  return `${name}: ${message}`
    .replace(/\{.*\}/gs, '{…}')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\s+/g, ' ');
}

export function formatErrorWithStack(failure: unknown): string {
  const stack = failure instanceof Error ? (failure.stack ?? '') : '';
  const frames = stack.indexOf('\n    at ');
  return formatError(failure) + (frames < 0 ? '' : stack.slice(frames));
}
