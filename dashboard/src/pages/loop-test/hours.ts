/** The hours of the day, in UTC, with what they are in a time zone today, in the order of that zone. */
export function nightHours(
  language: string,
  timeZone: string,
  now = new Date(),
): { readonly value: string; readonly label: string }[] {
  const format = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  const sortable = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
  return Array.from({ length: 24 }, (_, hour) => {
    const time = new Date(now);
    time.setUTCHours(hour, 0, 0, 0);
    return { value: String(hour), label: format.format(time), order: sortable.format(time) };
  })
    .sort((one, other) => one.order.localeCompare(other.order))
    .map(({ value, label }) => ({ value, label }));
}
