import { forecastCurve, forecastError, largestGap, measuredCurve } from './figures';
import { drawTimePlot } from './plot';

const START = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

describe('the figures of a pool', () => {
  it('forecast that each SIM sends evenly until it is done', () => {
    const sims = [
      { messages: 10, until: at(10) },
      { messages: 40, until: at(20) },
    ];
    expect(forecastCurve(sims, START)).toEqual([
      [0, 0],
      [10, 30],
      [20, 50],
    ]);
  });

  it('measure what was on the air, in any order, with the last message', () => {
    const times = [3, 1, 2, 5, 4].map((second) => START + second * 1_000);
    expect(measuredCurve(times, START, 2)).toEqual([
      [0, 0],
      [2, 2],
      [4, 4],
      [5, 5],
    ]);
  });

  it('compare the end with the forecast, and the curves', () => {
    expect(forecastError(START, START + 100_000, START + 103_000)).toBeCloseTo(0.03);
    expect(forecastError(START, START + 100_000, START + 95_000)).toBeCloseTo(-0.05);
    const forecast = [
      [0, 0],
      [10, 100],
    ] as const;
    expect(
      largestGap(forecast, [
        [5, 40],
        [8, 95],
        [12, 100],
      ]),
    ).toBeCloseTo(15);
  });

  it('draw curves to scale, with all names inside the picture', () => {
    const curve = (name: string) => ({
      name,
      points: [
        [0, 0],
        [80, 5_000],
      ] as const,
    });
    const picture = drawTimePlot({
      title: 'Title',
      subtitle: 'Subtitle',
      curves: [curve('one'), { ...curve('other'), isDashed: true }],
      moments: [{ seconds: 40, name: 'now' }],
    });
    expect([...picture.matchAll(/points="([^"]+)"/g)].map(([, points]) => points)).toEqual([
      '64,404 810,66',
      '64,404 810,66',
    ]);
    const heightOf = (name: string) => Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(picture)?.[1]);
    expect(heightOf('other') - heightOf('one')).toBe(16);
    expect(heightOf('one')).toBeGreaterThanOrEqual(66);
    expect(picture).toContain('x1="437" y1="66" x2="437"');
    expect(picture).toMatch(/stroke-dasharray="7 4"/);
  });
});
