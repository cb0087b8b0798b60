import { percentile } from '../test/load/statistics';
import type { Measurement } from './measure';
import type { RowName } from './options';
import { rateOf } from './slice';

/** The figures of a row. */
export interface RowFigures {
  readonly name: RowName;
  readonly perSecond: number;
  readonly limitPerSecond: number;
  readonly ratio: number;
  /** Percentiles of the operations of the service, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export function figuresOf(name: RowName, { service, limit }: Measurement): RowFigures {
  const perSecond = rateOf(service);
  const limitPerSecond = rateOf(limit);
  const times = service.flatMap((slice) => slice.times);
  return {
    name,
    perSecond: round(perSecond, 1),
    limitPerSecond: round(limitPerSecond, 1),
    ratio: round(perSecond / limitPerSecond, 3),
    p50: round(percentile(times, 0.5), 2),
    p99: round(percentile(times, 0.99), 2),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
