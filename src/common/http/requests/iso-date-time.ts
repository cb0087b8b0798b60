const DATE_TIME_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** Parses an ISO 8601 time with a zone (`Z` or `+hh:mm`). @returns null for anything else. */
export function parseIsoDateTime(text: string): Date | null {
  if (!DATE_TIME_WITH_ZONE.test(text)) return null;
  const time = new Date(text);
  // Rejects 30 February, which JavaScript would turn into a day of March.
  const day = Number(text.slice(8, 10));
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(time.getTime()) || day > daysInMonth ? null : time;
}

/** Like `parseIsoDateTime`, and parses a date (`2026-01-31`) as its midnight in UTC. */
export function parseIsoDateTimeOrDate(text: string): Date | null {
  return parseIsoDateTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
}
