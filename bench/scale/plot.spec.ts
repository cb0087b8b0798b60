import type { Growth } from './growth';
import { markdownOf } from './markdown';
import { plotOf } from './plot';

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

/** The points of each line, by its colour's place in the plot. */
function pointsOf(svg: string): number[][][] {
  return [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => point.split(',').map(Number)),
  );
}

describe('the plot of how cost grows', () => {
  it('draws a cost that does not grow as a flat line, and one that does from the bottom to the top', () => {
    const svg = plotOf(GROWTHS);
    const [[[left, flat] = [], [right, flatStill] = []] = [], [[, low] = [], [, high] = []] = []] =
      pointsOf(svg);
    expect(flatStill).toBe(flat);
    expect(low).toBe(flat);
    expect(Number(low) - Number(high)).toBe(340);
    expect(Number(right)).toBeGreaterThan(Number(left));
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it('is the same for the same figures, also for a single size', () => {
    const [growth] = GROWTHS;
    const single = [{ axis: '', fixed: '', sizes: [10], series: [{ row: 'stats' as const, costs: [0.5] }] }];
    expect(plotOf(GROWTHS)).toBe(plotOf(growth ? [growth] : []));
    expect(plotOf(single)).not.toContain('NaN');
  });

  it('stands above a table with the same figures', () => {
    expect(markdownOf(GROWTHS)).toContain(
      [
        '| Row         | Unit | 1,000 | 1,000,000 |',
        '| ----------- | ---- | ----: | --------: |',
        '| `send_one`  | send |     1 |         1 |',
        '| `list_page` | page |     1 |       100 |',
      ].join('\n'),
    );
  });
});
