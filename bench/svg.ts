/** A palette for colour-blind readers (Okabe and Ito). */
export const COLOURS = [
  '#000000',
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#e69f00',
  '#8c6d1f',
  '#7f7f7f',
  '#6a3d9a',
];

/** A line of the grid, unless the attributes say otherwise. */
export function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  attributes = 'stroke="#dddddd"',
): string {
  return `<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}" ${attributes}/>`;
}

export function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${short(x)}" y="${short(y)}" ${attributes}>${content}</text>`;
}

export function polyline(points: readonly (readonly [number, number])[], attributes: string): string {
  const list = points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
  return `<polyline points="${list}" fill="none" ${attributes}/>`;
}

/** A whole picture on a white background. */
export function svg(width: number, height: number, elements: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...elements,
    '</svg>',
    '',
  ].join('\n');
}

export function short(value: number): string {
  return String(Number(value.toFixed(1)));
}

export function label(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 6 });
}
