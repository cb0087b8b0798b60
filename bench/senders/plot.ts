import { COLOURS, label, line, polyline, svg, text } from '../svg';
import type { Point } from './figures';

const WIDTH = 960;
const HEIGHT = 460;
const TOP = 66;
const BOTTOM = 56;
const LEFT = 64;
const RIGHT = 150;
const NAME_HEIGHT = 16;
const TICKS = 6;

export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
  readonly isDashed?: boolean;
}

/** A moment, as a vertical line with its name on the left. */
export interface Moment {
  readonly seconds: number;
  readonly name: string;
}

export interface TimePlot {
  readonly title: string;
  readonly subtitle: string;
  readonly curves: readonly Curve[];
  readonly moments?: readonly Moment[];
}

/** Draws messages over time as an SVG, with the name of each curve beside its end. */
export function drawTimePlot({ title, subtitle, curves, moments = [] }: TimePlot): string {
  const points = curves.flatMap((curve) => curve.points);
  const xStep = niceStep(Math.max(...points.map(([seconds]) => seconds)));
  const yStep = niceStep(Math.max(...points.map(([, messages]) => messages)));
  const last = Math.max(...points.map(([seconds]) => seconds));
  const most = yStep * Math.ceil(Math.max(...points.map(([, messages]) => messages)) / yStep);
  const bottom = HEIGHT - BOTTOM;
  const right = WIDTH - RIGHT;
  const x = (seconds: number) => LEFT + (seconds / last) * (right - LEFT);
  const y = (messages: number) => bottom - (messages / most) * (bottom - TOP);
  const elements = [
    text(LEFT, TOP - 42, title, 'font-size="14" font-weight="bold"'),
    text(LEFT, TOP - 24, subtitle, 'fill="#555555"'),
    text(right, bottom + 38, 'seconds since the send', 'text-anchor="end" fill="#555555"'),
  ];
  for (let messages = 0; messages <= most; messages += yStep)
    elements.push(
      line(LEFT, y(messages), right, y(messages)),
      text(LEFT - 8, y(messages) + 4, label(messages), 'text-anchor="end"'),
    );
  for (let seconds = 0; seconds <= last; seconds += xStep)
    elements.push(
      line(x(seconds), TOP, x(seconds), bottom),
      text(x(seconds), bottom + 18, label(seconds), 'text-anchor="middle"'),
    );
  for (const [index, { seconds, name }] of moments.entries())
    elements.push(
      line(x(seconds), TOP, x(seconds), bottom, 'stroke="#555555" stroke-dasharray="2 3"'),
      text(x(seconds) - 5, TOP + 14 + index * NAME_HEIGHT, name, 'fill="#555555" text-anchor="end"'),
    );
  const nameHeights = spread(curves.map((curve) => y(curve.points.at(-1)?.[1] ?? 0)));
  for (const [index, curve] of curves.entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? '#000000';
    const dashes = curve.isDashed ? ' stroke-dasharray="7 4"' : '';
    elements.push(
      polyline(
        curve.points.map(([seconds, messages]) => [x(seconds), y(messages)]),
        `stroke="${colour}" stroke-width="2"${dashes}`,
      ),
      text(right + 10, (nameHeights[index] ?? 0) + 4, curve.name, `fill="${colour}"`),
    );
  }
  return svg(WIDTH, HEIGHT, elements);
}

/** 1, 2 or 5 times a power of ten, so that there are at most six steps. */
function niceStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / TICKS));
  return power * ([1, 2, 5, 10].find((factor) => most / (power * factor) <= TICKS) ?? 10);
}

/** Moves names apart that would overlap. @returns their heights, in the same order. */
function spread(heights: readonly number[]): number[] {
  const places = [...heights];
  const order = [...places.keys()].sort((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0));
  let free = TOP;
  for (const [position, index] of order.entries()) {
    // Leaves room above the axis for the remaining names.
    const lowest = HEIGHT - BOTTOM - (order.length - 1 - position) * NAME_HEIGHT;
    places[index] = Math.min(lowest, Math.max(free, places[index] ?? free));
    free = (places[index] ?? free) + NAME_HEIGHT;
  }
  return places;
}
