import type { Growth } from './growth';
import { formatMarkdown } from './markdown';
import { drawPlot } from './plot';

const GROWTHS: readonly Growth[] = [
  {
    axis: 'stored messages',
    fixed: '10 devices',
    sizes: [1_000, 1_000_000],
    series: [
      { row: 'send_one', costs: [1, 1] },
      { row: 'list_page', costs: [1, 100] },
    ],
  },
];

/** The points of each line, in order of the colours. */
function pointsOf(svg: string): number[][][] {
  return [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => point.split(',').map(Number)),
  );
}

describe('cost plot', () => {
  it('draws a constant cost as a flat line and a growing one from bottom to top', () => {
    const svg = drawPlot(GROWTHS);
    const [[[left, flat] = [], [right, flatStill] = []] = [], [[, low] = [], [, high] = []] = []] =
      pointsOf(svg);
    expect(flatStill).toBe(flat);
    expect(low).toBe(flat);
    expect(Number(low) - Number(high)).toBe(340);
    expect(Number(right)).toBeGreaterThan(Number(left));
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it('is deterministic, also for a single size', () => {
    const [growth] = GROWTHS;
    const single = [{ axis: '', fixed: '', sizes: [10], series: [{ row: 'stats' as const, costs: [0.5] }] }];
    expect(drawPlot(GROWTHS)).toBe(drawPlot(growth ? [growth] : []));
    expect(drawPlot(single)).not.toContain('NaN');
  });

  it('is followed by a table with the same figures', () => {
    expect(formatMarkdown(GROWTHS)).toContain(
      [
        '| Row         | Unit | 1,000 | 1,000,000 |',
        '| ----------- | ---- | ----: | --------: |',
        '| `send_one`  | send |     1 |         1 |',
        '| `list_page` | page |     1 |       100 |',
      ].join('\n'),
    );
  });
});
