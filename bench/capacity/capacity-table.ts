import type { Capacity, MeasuredCosts } from './capacity';

/** Lines of Markdown: what was measured, and a row for each number of messages. */
export function capacityTables(costs: MeasuredCosts, rows: readonly Capacity[]): string {
  const ms = (value: number) => value.toFixed(1);
  const measured = costs.messages.map((each) => [
    String(each.rate),
    ms(each.apiCpuMs),
    ms(each.workerCpuMs),
    ms(each.schedulerCpuMs),
    ms(each.databaseCpuMs),
  ]);
  const needed = rows.map((row) => [
    row.messagesPerMonth.toLocaleString('en'),
    figure(row.peakRate),
    row.phones.toLocaleString('en'),
    figure(row.apiCores),
    figure(row.workerCores),
    figure(row.databaseCores),
    `${figure(row.streamMegabytes)} MB`,
    `${figure(row.diskGigabytes)} GB`,
    `${figure(row.memoryGigabytes)} GB`,
  ]);
  return [
    'CPU time of a message in milliseconds, by messages a second:',
    '',
    ...table(['A second', 'API', 'Worker', 'Scheduler', 'Database'], measured),
    '',
    `A message takes ${figure(costs.dataBytes / 1_000)} kB of data and ${figure(costs.indexBytes / 1_000)} kB of indexes; a phone on a stream ${figure(costs.kilobytesPerStream)} kB of memory.`,
    '',
    ...table(
      ['A month', 'Peak a second', 'Phones', 'API', 'Workers', 'Database', 'Streams', 'Disk', 'Hot indexes'],
      needed,
    ),
  ].join('\n');
}

/** Two significant digits. */
const figure = (value: number): string =>
  Number(value.toPrecision(2)).toLocaleString('en', { maximumSignificantDigits: 2 });

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---:')), ...rows.map(line)];
}
