import { COLOURS, label, line, polyline, short, svg, text } from '../svg';
import type { Growth, Series } from './growth';

const WIDTH = 960;
const HEIGHT = 460;
const TOP = 60;
const BOTTOM = 60;
const LEFT = 64;
/** Space right of each panel for the names of the lines. */
const PANEL_GAP = 136;

interface Panel {
  readonly left: number;
  readonly right: number;
  readonly x: (size: number) => number;
  readonly y: (cost: number) => number;
}

/** Draws the costs by size as an SVG with logarithmic axes. */
export function drawPlot(growths: readonly Growth[]): string {
  const costs = growths.flatMap(({ series }) => series.flatMap((one) => one.costs)).filter(Number.isFinite);
  const decades = [Math.floor(Math.log10(Math.min(...costs))), Math.ceil(Math.log10(Math.max(...costs)))];
  const [low = 0, high = 0] = decades;
  const width = (WIDTH - LEFT - PANEL_GAP * growths.length) / growths.length;
  const panels = growths.map((growth, index) => {
    const left = LEFT + index * (width + PANEL_GAP);
    return drawPanel(growth, panelOf(growth, left, left + width, low, Math.max(high, low + 1)), low, high);
  });
  return svg(WIDTH, HEIGHT, panels.flat());
}

function panelOf({ sizes }: Growth, left: number, right: number, low: number, high: number): Panel {
  const first = Math.log10(sizes[0] ?? 1);
  const last = Math.log10(sizes.at(-1) ?? 1);
  const span = last - first || 1;
  const height = HEIGHT - TOP - BOTTOM;
  return {
    left,
    right,
    x: (size) => left + ((Math.log10(size) - first) / span) * (right - left),
    y: (cost) => TOP + height - ((Math.log10(cost) - low) / (high - low)) * height,
  };
}

function drawPanel(growth: Growth, panel: Panel, low: number, high: number): string[] {
  const { left, right, x, y } = panel;
  const bottom = HEIGHT - BOTTOM;
  const lines = [
    text(left, TOP - 34, `Milliseconds a unit, by ${growth.axis}`, 'font-weight="bold"'),
    text(left, TOP - 16, `with ${growth.fixed}`, 'fill="#555555"'),
  ];
  for (let decade = low; decade <= Math.max(high, low + 1); decade += 1) {
    const at = y(10 ** decade);
    lines.push(line(left, at, right, at), text(left - 8, at + 4, label(10 ** decade), 'text-anchor="end"'));
  }
  for (const size of growth.sizes) {
    lines.push(
      line(x(size), TOP, x(size), bottom),
      text(x(size), bottom + 18, label(size), 'text-anchor="middle"'),
    );
  }
  const named = spreadLabels(growth.series, y);
  for (const [index, { row, costs }] of growth.series.entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? '#000000';
    const points = costs.map((cost, at) => [x(growth.sizes[at] ?? 1), y(cost)] as const);
    lines.push(
      polyline(points, `stroke="${colour}" stroke-width="2"`),
      ...points.map(([px, py]) => `<circle cx="${short(px)}" cy="${short(py)}" r="3" fill="${colour}"/>`),
      text(right + 10, (named.get(row) ?? 0) + 4, row, `fill="${colour}"`),
    );
  }
  return lines;
}

const NAME_HEIGHT = 15;

/** Positions of the line names: beside the end of the line, without overlap. */
function spreadLabels(series: readonly Series[], y: (cost: number) => number): Map<string, number> {
  const labelPositions = new Map<string, number>();
  let free = TOP;
  const ends = series
    .map(({ row, costs }) => ({ row, end: y(costs.at(-1) ?? 1) }))
    .sort((one, other) => one.end - other.end);
  for (const [index, { row, end }] of ends.entries()) {
    // Leave room above the axis for the remaining names.
    const lowest = HEIGHT - BOTTOM - (ends.length - 1 - index) * NAME_HEIGHT;
    const place = Math.min(lowest, Math.max(free, end));
    labelPositions.set(row, place);
    free = place + NAME_HEIGHT;
  }
  return labelPositions;
}
