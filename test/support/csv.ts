/** The rows of a CSV file by RFC 4180, as objects by the names in its first line. @throws Error if it is malformed. */
export function readCsv(text: string): Record<string, string>[] {
  if (!text.startsWith('\ufeff')) throw new Error('There is no byte order mark');
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  let end = 1;
  for (cell.lastIndex = end; end < text.length; end = cell.lastIndex) {
    const [found, quoted, plain = '', separator] = cell.exec(text) ?? [];
    if (found === undefined) throw new Error(`No cell at ${end}: ${text.slice(end, end + 100)}`);
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === ',') continue;
    rows.push(row);
    row = [];
  }
  const [names = [], ...others] = rows;
  return others.map((cells) => {
    if (cells.length !== names.length) throw new Error(`A row has ${cells.length} cells: ${cells.join()}`);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}
